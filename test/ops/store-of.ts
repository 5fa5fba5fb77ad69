/** A store of real tables in a directory of its own. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Caller } from '../../src/events/types.js';
import { createRow } from '../../src/ops/create-row.js';
import type { Store } from '../../src/ops/store.js';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';

export const caller: Caller = { actor: 'tester', origin: { tool: 'test', session: 's' } };

export class StoreOf {
  readonly store: Store;
  readonly registry: TableRegistry;

  /** @param tables directory name to schema.yaml. */
  constructor(
    readonly directory: string,
    tables: Readonly<Record<string, string>>,
  ) {
    for (const [name, schema] of Object.entries(tables)) {
      mkdirSync(join(directory, 'user', name), { recursive: true });
      writeFileSync(join(directory, 'user', name, 'schema.yaml'), schema);
    }
    const environment = { MINI_APP_USER_DIR: join(directory, 'user'), MINI_APP_PROJECT_DIR: join(directory, 'none') };
    const config = loadConfig(environment, directory);
    this.registry = TableRegistry.mount({ config, session: 's', now: Date.now, log: () => undefined });
    this.store = { registry: this.registry, now: Date.now, newId: randomUUID };
  }

  async add(table: string, data: unknown): Promise<string> {
    return (await createRow(this.store, { table, data }, caller)).id;
  }

  /** Rows with exactly these texts as data, as somebody else could store them. */
  insert(table: string, texts: readonly string[]): void {
    const mounted = this.registry.resolve(table);
    mounted.open();
    const database = new Sqlite(mounted.databasePath);
    const insert = database.prepare(
      'INSERT INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, 1, 1, 1)',
    );
    database.transaction(() => {
      for (const text of texts) insert.run(randomUUID(), text);
    })();
    database.close();
  }

  async close(): Promise<void> {
    await this.registry.close();
  }
}
