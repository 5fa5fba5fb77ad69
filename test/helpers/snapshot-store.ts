/** A store over real directories with a few tables, for tests of snapshots. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { createRow } from '../../src/ops/create-row.js';
import type { Store } from '../../src/ops/store.js';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';
import { tempDir } from './temp-dir.js';

export const caller = { actor: 'test', origin: { tool: 'test', session: 's' } };

export interface SnapshotStore extends Store {
  readonly directory: string;
  readonly user: string;
  readonly project: string;
}

export const schemaOf = (table: string) =>
  `table: ${table}\nfields:\n  - { name: text, type: string, required: true }\n`;

/** User tables `alpha` and `beta`, project table `gamma`, in a directory that goes with the test. */
export function snapshotStore(environment: Record<string, string> = {}): SnapshotStore {
  const directory = tempDir();
  const [user, project] = [join(directory, 'user'), join(directory, 'project')];
  for (const path of [join(user, 'beta'), join(user, 'alpha'), join(project, 'gamma')]) {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'schema.yaml'), schemaOf('any'));
  }
  return storeIn(directory, { MINI_APP_USER_DIR: user, MINI_APP_PROJECT_DIR: project, ...environment });
}

export function storeIn(directory: string, environment: Record<string, string>): SnapshotStore {
  const config = loadConfig(environment, directory);
  const registry = TableRegistry.mount({ config, session: 's', now: Date.now, log: () => undefined });
  onTestFinished(() => registry.close());
  const [user, project] = [join(directory, 'user'), join(directory, 'project')];
  return { registry, now: Date.now, newId: randomUUID, directory, user, project };
}

export async function fill(store: Store, table: string, rows: number, size = 10): Promise<void> {
  for (let n = 0; n < rows; n++) await createRow(store, { table, data: { text: `${n}`.padEnd(size, 'x') } }, caller);
}

/** Counts the rows of a snapshot and looks it over. */
export function rowsIn(path: string): { rows: unknown; check: unknown } {
  const database = new Database(path, { readonly: true });
  const rows = database.prepare('SELECT count(*) FROM rows').pluck().get();
  const check = database.pragma('integrity_check', { simple: true });
  database.close();
  return { rows, check };
}
