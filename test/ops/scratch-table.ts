/** A table in a directory of its own, with real files, for the tests of the operator's ops. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Caller } from '../../src/events/types.js';
import { createRow } from '../../src/ops/create-row.js';
import { deleteRow } from '../../src/ops/delete-row.js';
import type { OperatedTable } from '../../src/ops/operated-table.js';
import { restoreRow } from '../../src/ops/restore-row.js';
import type { RowRecord, Store } from '../../src/ops/store.js';
import { updateRow } from '../../src/ops/update-row.js';
import type { ArchiveLimits } from '../../src/projections/row-history/project.js';
import type { TableSchema } from '../../src/schema/table-schema.js';
import { loadConfig } from '../../src/tables/config.js';
import { ScopeDirectories } from '../../src/tables/scope-directories.js';
import type { OpenTable, Table } from '../../src/tables/table.js';
import { TableDatabase } from '../../src/tables/table-database.js';

export const caller: Caller = { actor: 'tester', origin: { tool: 'test', session: 'test' } };

export const notesSchema: TableSchema = {
  table: 'notes',
  title: null,
  description: null,
  fields: [
    { name: 'title', type: 'string', required: true, description: null },
    { name: 'body', type: 'string', required: false, description: null },
    { name: 'count', type: 'number', required: false, description: null },
  ],
  dump: null,
  history: 'full',
};

export interface ScratchOptions {
  readonly history?: 'full' | 'off';
  readonly archive?: ArchiveLimits;
  readonly onStatement?: (sql: string) => void;
}

export class ScratchTable {
  readonly directory = mkdtempSync(join(tmpdir(), 'mini-app-'));
  readonly path = join(this.directory, 'notes.db');
  readonly operated: OperatedTable;
  readonly store: Store;
  /** Unix milliseconds; tests move it. */
  now = 1_760_000_000_000;
  #database: TableDatabase | null = null;

  constructor(options: ScratchOptions = {}) {
    const schema = { ...notesSchema, history: options.history ?? 'full' };
    const database = {
      path: this.path,
      name: 'notes',
      historyName: 'notes',
      archive: options.archive ?? { keepRecent: 16, chunkMin: 48 },
      history: schema.history,
      session: 'test',
      now: () => this.now,
      ...(options.onStatement === undefined ? {} : { onStatement: options.onStatement }),
    };
    this.operated = { name: 'notes', schema, database };
    this.store = this.#store(schema);
  }

  get database(): TableDatabase {
    this.#database ??= TableDatabase.open(this.operated.database);
    return this.#database;
  }

  async create(data: object): Promise<string> {
    return (await createRow(this.store, { data }, caller)).id;
  }

  update(id: string, data: object, mode: 'merge' | 'replace' = 'merge'): Promise<RowRecord> {
    return updateRow(this.store, { id, data, mode }, caller);
  }

  async delete(id: string): Promise<void> {
    await deleteRow(this.store, { id }, caller);
  }

  restore(id: string, version: number): Promise<RowRecord> {
    return restoreRow(this.store, { id, version }, caller);
  }

  /** Every row as the table shows it, without the version and the time of the last change. */
  contents(): unknown[] {
    return this.query('SELECT id, data, created_at FROM rows ORDER BY id');
  }

  /** What a reader of the file sees, on a connection of its own. */
  query(sql: string, ...params: unknown[]): unknown[] {
    return this.#outside((connection) => connection.prepare(sql).all(...params));
  }

  /** Writes past everything, as somebody with the file at hand would: the log's triggers are put away meanwhile. */
  tamper(sql: string): void {
    this.#outside((connection) => {
      const triggers = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as {
        name: string;
        sql: string;
      }[];
      for (const { name } of triggers) connection.exec(`DROP TRIGGER ${name}`);
      connection.exec(sql);
      for (const trigger of triggers) connection.exec(trigger.sql);
    });
  }

  /** Writes `rows` as the predecessor or a database browser would. */
  foreign(sql: string): void {
    this.#outside((connection) => connection.exec(sql));
  }

  async close(): Promise<void> {
    await this.#database?.close();
    this.#database = null;
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #outside<T>(use: (connection: Database.Database) => T): T {
    const connection = new Database(this.path, { timeout: 5000 });
    try {
      return use(connection);
    } finally {
      connection.close();
    }
  }

  #store(schema: TableSchema): Store {
    const openTable = (): OpenTable => ({
      log: this.database.log,
      rows: this.database.rows,
      history: this.database.history,
      aliases: this.database.aliases,
      settled: async () => {},
      hasNewSchema: () => false,
      status: () => ({
        head: this.database.head(),
        journalMode: 'wal',
        foreignWrites: 0,
        followers: [],
        compacted: null,
      }),
    });
    const { path, directory } = this;
    const table: Table = {
      name: 'notes',
      scope: 'project',
      schema,
      schemaPath: join(directory, 'schema.yaml'),
      databasePath: path,
      scopeRoot: directory,
      open: openTable,
      get opened() {
        return openTable();
      },
      close: () => this.close(),
    };
    return {
      registry: {
        aliasStores: {
          readable: async () => [{ scope: 'legacy', log: this.database.log, aliases: this.database.aliases }],
          writable: async () => ({ scope: 'legacy', log: this.database.log, aliases: this.database.aliases }),
        },
        config: loadConfig({}, directory),
        scopes: new ScopeDirectories({
          config: loadConfig({}, this.directory),
          session: 'test',
          now: () => this.now,
          log: () => undefined,
        }),
        resolve: () => table,
        tables: () => [table],
        failed: () => [],
        reload: async () => ({ mounted: 1, added: [], removed: [], failed: [] }),
        close: () => this.close(),
      },
      now: () => this.now,
      newId: randomUUID,
    };
  }
}
