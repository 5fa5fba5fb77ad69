/** A table's database, open: log, inline projections and queries over one connection. */
import { StoreError } from '../errors.js';
import { type Adoption, adopt } from '../events/adopt.js';
import {
  type Connection,
  type OpenedDatabase,
  openDatabase,
  patiently,
  type StatementObserver,
} from '../events/database.js';
import type { Appended, Command, EventLog } from '../events/event-log.js';
import { EventRows } from '../events/event-rows.js';
import { giveBackFreePagesQuickly } from '../events/free-pages.js';
import type { InlineProjection, RowStates } from '../events/inline-projection.js';
import { SqliteEventLog } from '../events/sqlite-event-log.js';
import { storageError } from '../events/storage-error.js';
import { AliasesProjection } from '../projections/aliases/project.js';
import { type AliasQueries, SqliteAliasQueries, tableAliases } from '../projections/aliases/queries.js';
import { HistoryRows } from '../projections/row-history/history-rows.js';
import { type ArchiveLimits, RowHistoryProjection } from '../projections/row-history/project.js';
import type { HistoryQueries } from '../projections/row-history/queries.js';
import { SqliteHistoryQueries } from '../projections/row-history/sqlite-history-queries.js';
import { FieldIndexes, lackFieldIndexes, syncFieldIndexes } from '../projections/rows/field-indexes.js';
import { RowsProjection } from '../projections/rows/project.js';
import type { RowQueries } from '../projections/rows/queries.js';
import { SqliteRowQueries } from '../projections/rows/sqlite-row-queries.js';
import { schemaTextAfter } from './schema-changed.js';

export interface TableDatabaseOptions {
  readonly path: string;
  /** The registry's name of the table, for messages. */
  readonly name: string;
  /** The schema's `table:` value, which the history carries. */
  readonly historyName: string;
  readonly archive: ArchiveLimits;
  /** The schema's `history:` value; `full` by default. */
  readonly history?: 'full' | 'off';
  readonly session: string;
  readonly now: () => number;
  /** See {@link StatementObserver}. */
  readonly onStatement?: StatementObserver;
}

export interface CompactedLog {
  readonly upto: number;
  readonly removed: number;
}

export class TableDatabase {
  readonly log: EventLog;
  readonly rows: RowQueries;
  readonly history: HistoryQueries;
  /** The table's own aliases, of legacy mode and of the predecessor. */
  readonly aliases: AliasQueries;
  readonly connection: Connection;
  readonly journalMode: string;
  readonly readOnlyBecause: string | null;
  /** What the opening took over, when it did. */
  readonly adoption: Adoption | null;
  readonly #events: SqliteEventLog;

  /** @throws StoreError STORAGE_ERROR when the file cannot be opened as a table. */
  static open(options: TableDatabaseOptions): TableDatabase {
    const opened = openDatabase(options.path, undefined, options.onStatement);
    try {
      return new TableDatabase(opened, options);
    } catch (error) {
      opened.connection.close();
      if (opened.readOnlyBecause === null) throw storageError(error);
      const reason = `${opened.readOnlyBecause}, and it was never opened for writing before`;
      throw new StoreError('TABLE_READ_ONLY', { table: options.name, reason }, { cause: error });
    }
  }

  private constructor(opened: OpenedDatabase, options: TableDatabaseOptions) {
    const { connection } = opened;
    const historyRows = new HistoryRows(connection, options.historyName);
    const rows = new SqliteRowQueries(connection);
    const states: RowStates = { get: (id) => rows.get(id), lastVersion: (id) => historyRows.lastVersion(id) };
    const projections: InlineProjection[] = [
      new RowsProjection(connection),
      new RowHistoryProjection(connection, options.historyName, options.archive),
      new AliasesProjection(connection, tableAliases),
      new FieldIndexes(connection),
    ];
    this.connection = connection;
    this.journalMode = opened.journalMode;
    this.readOnlyBecause = opened.readOnlyBecause;
    this.rows = rows;
    this.history = new SqliteHistoryQueries(historyRows);
    this.aliases = new SqliteAliasQueries(connection, tableAliases);
    this.#events = new SqliteEventLog({
      connection,
      states,
      projections,
      now: options.now,
      history: options.history ?? 'full',
    });
    this.log = opened.readOnlyBecause === null ? this.#events : refusing(this.#events, options, opened.readOnlyBecause);
    const adoption = { connection, states, projections, session: options.session, now: options.now() };
    this.adoption = opened.readOnlyBecause === null ? adopt(adoption) : null;
  }

  /** The sequence number of the newest event; 0 for an empty log. */
  head(): number {
    return this.#events.headNow();
  }

  /** Whether its file is not the one at its path any more. */
  hasMoved(): boolean {
    return this.#events.hasMoved();
  }

  /** The latest cut of a compacted log (rulings 3.8): the last event removed, and how many went; null without one. */
  compacted(): CompactedLog | null {
    const cut = new EventRows(this.connection).lastOfTable('log.compacted');
    if (cut === null) return null;
    const { upto, removed } = JSON.parse(cut.body) as CompactedLog;
    return { upto, removed };
  }

  /** The position of the newest event of the whole table. */
  lastTableEvent(): number {
    return this.#events.lastTableEvent();
  }

  /** What the log has for schema.yaml: its text, null when it was deleted, undefined when no event says. */
  recordedSchema(): string | null | undefined {
    return schemaTextAfter(new EventRows(this.connection).lastOfTable('schema.changed'));
  }

  /** Whether the log has another text for schema.yaml than this one; not when it has none at all. */
  lacksSchema(text: string): boolean {
    const recorded = this.recordedSchema();
    return recorded !== undefined && recorded !== text;
  }

  /** Makes the indexes on members of `data` those that the schema asks for. */
  useIndexes(fields: readonly string[]): void {
    if (!lackFieldIndexes(this.connection, fields)) return;
    patiently(() => this.connection.transaction(() => syncFieldIndexes(this.connection, fields)).immediate());
  }

  notedForeignWrites(): string[] {
    return this.#events.notedForeignWrites();
  }

  /** Lets queued commands finish, moves the WAL into the file, closes. */
  async close(): Promise<void> {
    await this.#events.close();
    if (!this.connection.open) return;
    if (this.readOnlyBecause === null) this.#checkpoint();
    this.connection.close();
  }

  #checkpoint(): void {
    try {
      // What archiving freed goes back to the file system, as far as closing has time for it.
      giveBackFreePagesQuickly(this.connection);
      this.connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process is using the file; it will move the WAL.
    }
  }
}

/** A log that can only be read. */
export function refusing(log: SqliteEventLog, { name }: { readonly name: string }, reason: string): EventLog {
  return {
    append: <T>(_: Command<T>): Promise<Appended<T>> =>
      Promise.reject(new StoreError('TABLE_READ_ONLY', { table: name, reason })),
    readAfter: (position, limit) => log.readAfter(position, limit),
    head: () => log.head(),
    committed$: log.committed$,
  };
}
