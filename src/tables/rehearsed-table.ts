/** A table whose database is empty, in memory, and nobody's: what happens to it stays without effect. */
import type { MountContext } from './mount-context.js';
import type { OpenTable, Scope, Table, TableDefinition } from './table.js';
import { TableDatabase } from './table-database.js';

export class RehearsedTable implements Table {
  readonly name: string;
  readonly scope: Scope;
  readonly schema;
  readonly schemaPath: string;
  readonly databasePath = ':memory:';
  readonly scopeRoot: string;
  #database: TableDatabase | null = null;

  constructor(
    definition: TableDefinition,
    private readonly context: MountContext,
  ) {
    this.name = definition.name;
    this.scope = definition.scope;
    this.schema = definition.schema;
    this.schemaPath = definition.schemaPath;
    this.scopeRoot = definition.scopeRoot;
  }

  get opened(): OpenTable | null {
    return this.#database === null ? null : this.#open(this.#database);
  }

  open(): OpenTable {
    const { config, session, now } = this.context;
    this.#database ??= TableDatabase.open({
      path: this.databasePath,
      name: this.name,
      historyName: this.schema.table,
      archive: { keepRecent: config.historyKeepRecent, chunkMin: config.historyChunkMin },
      history: this.schema.history,
      session,
      now,
    });
    return this.#open(this.#database);
  }

  async close(): Promise<void> {
    const database = this.#database;
    this.#database = null;
    await database?.close();
  }

  #open(database: TableDatabase): OpenTable {
    const { log, rows, history, aliases, journalMode } = database;
    const status = () => ({ head: database.head(), journalMode, foreignWrites: 0, followers: [], compacted: null });
    return { log, rows, history, aliases, settled: async () => undefined, hasNewSchema: () => false, status };
  }
}
