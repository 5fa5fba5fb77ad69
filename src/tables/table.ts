/** A mounted table: its definition now, its database from the first use on. */
import type { EventLog } from '../events/event-log.js';
import type { AliasQueries } from '../projections/aliases/queries.js';
import type { FollowerStatus } from '../projections/projection.js';
import type { HistoryQueries } from '../projections/row-history/queries.js';
import type { RowQueries } from '../projections/rows/queries.js';
import type { TableSchema } from '../schema/table-schema.js';
import type { AliasStores } from './alias-stores.js';
import type { Config } from './config.js';
import type { Scope } from './scope.js';

export type { Scope };

export interface Table {
  /** The registry key: the directory's name (legacy mode: the schema's `table`). */
  readonly name: string;
  readonly scope: Scope;
  readonly schema: TableSchema;
  readonly schemaPath: string;
  readonly databasePath: string;
  /** The directory that `_backup` and `_snapshots` stand in. */
  readonly scopeRoot: string;
  /** Opens the database at the first call and adopts it if need be. @throws StoreError STORAGE_ERROR, TABLE_READ_ONLY. */
  open(): OpenTable;
  /** Null until the first {@link open}. */
  readonly opened: OpenTable | null;
  close(): Promise<void>;
}

/** Where a table stands and what it is. */
export interface TableDefinition {
  readonly name: string;
  readonly scope: Scope;
  readonly schema: TableSchema;
  /** The text the schema was read from: a reload keeps a table whose text is the same. */
  readonly schemaText: string;
  readonly schemaPath: string;
  readonly databasePath: string;
  readonly scopeRoot: string;
}

export interface OpenTable {
  readonly log: EventLog;
  readonly rows: RowQueries;
  readonly history: HistoryQueries;
  /** The table's own aliases: those of legacy mode, and what the predecessor left. */
  readonly aliases: AliasQueries;
  /** Waits until the followers a caller should see (the markdown dump) have applied `seq`, 2 s at most. */
  settled(seq: number): Promise<void>;
  /**
   * Whether another schema stands in the log and in schema.yaml than this table was mounted with: another process changed
   * or deleted it, or this one is about to mount it. Costs one look at an index as long as it is not so.
   */
  hasNewSchema(): boolean;
  status(): TableStatus;
}

/** What `info` and `doctor` say of an open table. */
export interface TableStatus {
  readonly head: number;
  readonly journalMode: string;
  readonly foreignWrites: number;
  readonly followers: readonly FollowerStatus[];
  /** The latest cut of a compacted log: the last event removed, and how many went. Null without one. */
  readonly compacted: { readonly upto: number; readonly removed: number } | null;
}

/** A table that could not be mounted. */
export interface FailedTable {
  readonly table: string;
  readonly scope: Scope;
  readonly code: string;
  readonly message: string;
}

export interface Reloaded {
  readonly mounted: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly failed: readonly FailedTable[];
}

/** What changing the set of tables needs of the scopes. */
export interface TableScopes {
  /** The directory of a scope's tables. @throws StoreError CONFIG_ERROR when it is switched off. */
  directory(scope: Exclude<Scope, 'legacy'>): string;
  /** Backups kept per table. */
  readonly backupRetention: number;
  /** A table that is not mounted: one to be created, or hidden behind another scope. The caller closes it. */
  draft(definition: TableDefinition): Table;
  /** The same over an empty database in memory, for a rehearsal. */
  rehearsal(definition: TableDefinition): Table;
}

export interface Registry {
  readonly aliasStores: AliasStores;
  /** The settings that the tables were mounted with. */
  readonly config: Config;
  readonly scopes: TableScopes;
  /** @throws StoreError TABLE_REQUIRED without a name and a default, TABLE_NOT_FOUND for an unknown one. */
  resolve(name: string | undefined): Table;
  tables(): readonly Table[];
  failed(): readonly FailedTable[];
  reload(): Promise<Reloaded>;
  close(): Promise<void>;
}
