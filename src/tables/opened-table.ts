/** A table in use: its database and the followers that run on its log. */
import type { EventLog } from '../events/event-log.js';
import type { AliasQueries } from '../projections/aliases/queries.js';
import type { HistoryQueries } from '../projections/row-history/queries.js';
import type { RowQueries } from '../projections/rows/queries.js';
import type { MountContext } from './mount-context.js';
import { recordSchemaFile } from './record-schema-file.js';
import { readIfThere } from './schema-file.js';
import type { OpenTable, Table, TableStatus } from './table.js';
import { TableDatabase } from './table-database.js';
import { TableFollowers } from './table-followers.js';

export class OpenedTable implements OpenTable {
  readonly log: EventLog;
  readonly rows: RowQueries;
  readonly history: HistoryQueries;
  readonly aliases: AliasQueries;
  readonly database: TableDatabase;
  readonly #followers: TableFollowers;
  /** The newest event of the whole table when the schema was last found to be the present one. */
  #looked = -1;

  constructor(
    private readonly table: Table & { readonly schemaText: string },
    context: MountContext,
  ) {
    const { config } = context;
    this.database = TableDatabase.open({
      path: table.databasePath,
      name: table.name,
      historyName: table.schema.table,
      archive: { keepRecent: config.historyKeepRecent, chunkMin: config.historyChunkMin },
      history: table.schema.history,
      session: context.session,
      now: context.now,
    });
    this.log = this.database.log;
    this.rows = this.database.rows;
    this.history = this.database.history;
    this.aliases = this.database.aliases;
    this.#followers = new TableFollowers(table, this.database, context);
    this.#report(context);
    if (this.database.readOnlyBecause === null) this.#followSchemaFile(context);
  }

  settled(seq: number): Promise<void> {
    return this.#followers.settled(seq);
  }

  hasNewSchema(): boolean {
    const newest = this.database.lastTableEvent();
    if (newest === this.#looked) return false;
    const { schemaText, schemaPath } = this.table;
    const recorded = this.database.recordedSchema();
    // A file that somebody edits by hand is not in the log before it is mounted; that is for `reload`.
    const isNew = recorded !== undefined && recorded !== schemaText && readIfThere(schemaPath) === recorded;
    if (!isNew) this.#looked = newest;
    return isNew;
  }

  status(): TableStatus {
    const head = this.database.head();
    return {
      head,
      journalMode: this.database.journalMode,
      foreignWrites: this.database.notedForeignWrites().length,
      followers: this.#followers.status(head),
      compacted: this.database.compacted(),
    };
  }

  async close(): Promise<void> {
    await this.#followers.close();
    await this.database.close();
  }

  /** Another process may have changed the file since it was read here; then that is for the next reload. */
  #followSchemaFile({ log, session }: MountContext): void {
    const { schemaText, schemaPath, scope, schema, name } = this.table;
    const failed = (error: unknown) => log('warn', `table ${name}: schema.yaml cannot be followed`, { error });
    try {
      if (readIfThere(schemaPath) !== schemaText) return;
      this.database.useIndexes(schema.indexes ?? []);
      const file = { path: schemaPath, text: schemaText, scope, session };
      if (this.database.lacksSchema(schemaText)) recordSchemaFile(this.log, file).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #report({ log }: MountContext): void {
    const { adoption, journalMode, readOnlyBecause } = this.database;
    const { name } = this.table;
    if (adoption !== null) log('info', `table ${name} adopted`, { ...adoption });
    if (readOnlyBecause !== null) log('warn', `table ${name} is read-only: ${readOnlyBecause}`);
    else if (journalMode !== 'wal') log('warn', `table ${name} uses a rollback journal; its file system cannot do WAL`);
  }
}
