/** Scope directories with tables and aliases as the predecessor leaves them, and stores mounted over them. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { Store } from '../../src/ops/store.js';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';

export const issuesSchema = `table: issues
fields:
  - { name: title, type: string, required: true }
  - { name: state, type: string }
  - { name: points, type: number }
  - { name: tags, type: array }
`;

/** A directory `<directory>/<scope>/<name>` with a schema.yaml. */
export function addTable(directory: string, scope: 'user' | 'project', name: string): void {
  mkdirSync(join(directory, scope, name), { recursive: true });
  writeFileSync(join(directory, scope, name, 'schema.yaml'), issuesSchema.replace('issues', name));
}

export interface OldAlias {
  readonly name: string;
  readonly filter: string;
  readonly limit?: number;
  readonly params?: string;
}

/** A database file with `_aliases` as the predecessor made it; before its 0.10 without `params_schema`. */
export function oldAliases(path: string, aliases: readonly OldAlias[], hasParams = true): void {
  mkdirSync(dirname(path), { recursive: true });
  const database = new Sqlite(path);
  database.exec(
    `CREATE TABLE rows (id TEXT PRIMARY KEY, data TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
     CREATE TABLE _aliases (name TEXT PRIMARY KEY, filter TEXT NOT NULL, default_limit INTEGER, description TEXT
       ${hasParams ? ', params_schema TEXT' : ''})`,
  );
  const columns = hasParams ? 'name, filter, default_limit, params_schema' : 'name, filter, default_limit';
  const insert = database.prepare(`INSERT INTO _aliases (${columns}) VALUES (?, ?, ?${hasParams ? ', ?' : ''})`);
  for (const { name, filter, limit, params } of aliases) {
    insert.run(name, filter, limit ?? null, ...(hasParams ? [params ?? null] : []));
  }
  database.close();
}

/** A store over the directories `user` and `project` of a directory, closed at the end of the test. */
export function mountStore(directory: string, environment: Record<string, string> = scopes(directory)): Store {
  const config = loadConfig(environment, directory);
  const registry = TableRegistry.mount({ config, session: 's', now: Date.now, log: () => undefined });
  onTestFinished(() => registry.close());
  return { registry, now: Date.now, newId: randomUUID };
}

function scopes(directory: string): Record<string, string> {
  return { MINI_APP_USER_DIR: join(directory, 'user'), MINI_APP_PROJECT_DIR: join(directory, 'project') };
}
