/** What every command works with: the tables of the working directory and environment, and who runs it. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { StoreError } from '../errors.js';
import type { Caller } from '../events/types.js';
import { type OperatedTable, withDatabase } from '../ops/operated-table.js';
import type { DumpPlace } from '../projections/dump/dump-path.js';
import { type Config, loadConfig } from '../tables/config.js';
import { GlobalDatabase, globalPath } from '../tables/global-database.js';
import { TableRegistry } from '../tables/registry.js';
import type { Registry, Table } from '../tables/table.js';
import { type Io, ProgressLine } from './io.js';
import { noTable } from './prompt-hint.js';

export class CliContext {
  readonly registry: Registry;
  readonly #config: Config;
  readonly #session = randomUUID();

  /** @throws StoreError CONFIG_ERROR. */
  constructor(
    readonly io: Io,
    readonly signal: AbortSignal,
  ) {
    this.#config = loadConfig(process.env, process.cwd());
    const log = (level: string, message: string) => {
      if (level !== 'info') io.err(`${level}: ${message}\n`);
    };
    this.registry = TableRegistry.mount({ config: this.#config, session: this.#session, now: Date.now, log });
  }

  /** The actor that `log` shows, and the command as the tool. */
  caller(command: string): Caller {
    const actor = this.#config.env.MINI_APP_ACTOR?.trim();
    return {
      actor: actor === undefined || actor === '' ? userName() : actor,
      origin: { tool: `cli:${command}`, session: this.#session },
    };
  }

  /** A table by name; the default one without. @throws StoreError TABLE_NOT_FOUND, TABLE_REQUIRED. */
  table(name: string | undefined): OperatedTable {
    return this.#operated(this.registry.resolve(name));
  }

  /** The tables named, or all. */
  tables(names: readonly string[]): OperatedTable[] {
    if (names.length > 0) return names.map((name) => this.table(name));
    const mounted = this.registry.tables();
    if (mounted.length === 0) this.io.err(`${noTable}\n`);
    return mounted.map((table) => this.#operated(table));
  }

  /** Where the table's markdown goes. */
  place(name: string): Omit<DumpPlace, 'schema'> {
    const { scope, scopeRoot } = this.registry.resolve(name);
    return { scope, scopeRoot, cwd: this.#config.cwd };
  }

  /** The `_global.db` files that there are, brought to today's tables, with what to call them. */
  async globals(): Promise<{ readonly name: string; readonly path: string }[]> {
    const { userDir, projectDir } = this.#config;
    const found = [];
    for (const [scope, directory] of [
      ['user', userDir],
      ['project', projectDir],
    ] as const) {
      if (directory === null || !existsSync(globalPath(directory))) continue;
      await GlobalDatabase.open(directory, scope, Date.now).close();
      found.push({ name: `_global (${scope})`, path: globalPath(directory) });
    }
    return found;
  }

  /** Works on the database of published views and approvals. @throws StoreError CONFIG_ERROR without a user directory. */
  async withViews<T>(use: (database: GlobalDatabase) => Promise<T>): Promise<T> {
    const { viewsDir } = this.#config;
    if (viewsDir === null) {
      const variable = 'MINI_APP_USER_DIR';
      throw new StoreError('CONFIG_ERROR', { detail: `approvals are kept in ${variable}, which is empty`, variable });
    }
    const database = GlobalDatabase.open(viewsDir, 'user', Date.now);
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  }

  /** Creates, migrates and adopts the table's database where that is due, as a server does at its first use. */
  async prepare(table: OperatedTable): Promise<OperatedTable> {
    await withDatabase(table, async () => undefined);
    return table;
  }

  /** Runs one op with its progress shown. */
  async work<T>(
    what: string,
    run: (options: { signal: AbortSignal; onProgress: ProgressLine['show'] }) => Promise<T>,
  ): Promise<T> {
    const line = await ProgressLine.on(this.io, what);
    try {
      return await run({ signal: this.signal, onProgress: line.show });
    } finally {
      line.clear();
    }
  }

  #operated(table: Table): OperatedTable {
    const { historyKeepRecent: keepRecent, historyChunkMin: chunkMin } = this.#config;
    const database = {
      path: table.databasePath,
      name: table.name,
      historyName: table.schema.table,
      archive: { keepRecent, chunkMin },
      history: table.schema.history,
      session: this.#session,
      now: Date.now,
    };
    return { name: table.name, schema: table.schema, database };
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
