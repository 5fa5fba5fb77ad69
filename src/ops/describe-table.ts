/** `info`: what a table is, and how it is doing. */
import { fieldOf, type TableSchema } from '../schema/table-schema.js';
import type { FailedTable, Scope, TableStatus } from '../tables/table.js';
import type { PluginReport, Store } from './store.js';

export interface TableInfo extends TableSchema {
  /** The name that the `table` argument takes. */
  readonly name: string;
  readonly scope: Scope;
  readonly rows: number;
  /** An object that `create` would accept as `data`. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly status: ShownStatus;
  /** Tables that could not be mounted; absent when there are none. */
  readonly failed?: readonly FailedTable[];
  /** Plugins of the server; absent when it has none. */
  readonly plugins?: readonly PluginReport[];
}

/** How the table is doing, in the wire's spelling. */
export interface ShownStatus {
  /** The sequence number of the newest event. */
  readonly head: number;
  readonly journal_mode: string;
  /** Rows that somebody changed past the log; `mini-app-mcp reconcile` records them. */
  readonly foreign_writes: number;
  readonly followers: readonly {
    name: string;
    position: number;
    lag: number;
    state: string;
    last_error: string | null;
  }[];
  /** Only when the log was compacted: up to which event, and how many went. */
  readonly compacted?: { readonly upto: number; readonly removed: number };
}

/** @throws StoreError TABLE_REQUIRED with the names of the tables, TABLE_NOT_FOUND. */
export async function describeTable(store: Store, input: { readonly table?: string | undefined }): Promise<TableInfo> {
  const table = store.registry.resolve(input.table);
  const opened = table.open();
  const failed = store.registry.failed();
  const plugins = store.plugins?.() ?? [];
  return {
    ...table.schema,
    name: table.name,
    scope: table.scope,
    rows: opened.rows.count(),
    example: exampleOf(table.schema),
    status: shown(opened.status()),
    ...(failed.length === 0 ? {} : { failed }),
    ...(plugins.length === 0 ? {} : { plugins }),
  };
}

function shown({ head, journalMode, foreignWrites, followers, compacted }: TableStatus): ShownStatus {
  return {
    head,
    journal_mode: journalMode,
    foreign_writes: foreignWrites,
    followers: followers.map(({ lastError, ...rest }) => ({ ...rest, last_error: lastError })),
    ...(compacted === null ? {} : { compacted }),
  };
}

const exampleValues = { string: 'text', number: 1, boolean: true, array: [], object: {} } as const;

function exampleOf(schema: TableSchema): Record<string, unknown> {
  const names = schema.fields.filter((field) => field.required).map((field) => field.name);
  const shown = names.length > 0 ? names : schema.fields.slice(0, 1).map((field) => field.name);
  return Object.fromEntries(shown.map((name) => [name, exampleValues[fieldOf(schema, name)?.type ?? 'string']]));
}
