/** The product in this process: a table in a directory, as its tools use it. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Caller } from '../src/events/types.js';
import type { Store } from '../src/ops/store.js';
import { defaultArchiveLimits } from '../src/projections/row-history/project.js';
import { loadConfig } from '../src/tables/config.js';
import { TableRegistry } from '../src/tables/registry.js';
import type { TableDatabaseOptions } from '../src/tables/table-database.js';
import type { ServerCommand } from './client/stdio-client.js';

/** The built server. */
export const program = resolve(import.meta.dirname, '../dist/main.js');

export const caller: Caller = {
  actor: 'bench',
  origin: {
    tool: 'create',
    request: '17',
    client: 'bench',
    client_version: '1.0.0',
    session: '3f1c2e9a-5d0b-4c58-9a7e-1b2c3d4e5f60',
  },
};

/** The row that the floor writes too. */
export const data = {
  title: 'The tide table shows yesterday after midnight',
  body: 'Seen on two tablets in the club house. '.repeat(6),
  state: 'open',
  tags: ['tides', 'display'],
  priority: 2,
};

const schema = `table: issues
fields:
  - { name: title, type: string, required: true }
  - { name: body, type: string }
  - { name: state, type: string }
  - { name: tags, type: array }
  - { name: priority, type: number }
`;

/** Lays out a table, `issues` unless named, in a directory for the user scope; `more` is added to its schema.yaml. */
export function layOut(directory: string, table = 'issues', more = ''): void {
  mkdirSync(join(directory, table), { recursive: true });
  writeFileSync(join(directory, table, 'schema.yaml'), schema.replace('issues', table) + more);
}

/** Where such a table's database is. */
export function databaseIn(directory: string, table = 'issues'): string {
  return join(directory, table, `${table}.db`);
}

/** The environment of a server on such a directory. */
export function environment(directory: string): Record<string, string> {
  return { MINI_APP_USER_DIR: directory, MINI_APP_PROJECT_DIR: '', MINI_APP_LOG: 'error' };
}

/** The built server over stdio on such a directory. */
export function stdioServer(directory: string): ServerCommand {
  return { args: [program, '--mcp'], cwd: directory, env: environment(directory) };
}

/** How a table's database is opened without a registry. */
export function databaseOptions(path: string, table = 'issues'): TableDatabaseOptions {
  return {
    path,
    name: table,
    historyName: table,
    history: 'full',
    archive: defaultArchiveLimits,
    session: 'bench',
    now: Date.now,
  };
}

/** Runs something on a store over the directory's table, which is laid out when it is not there. */
export async function withStore<T>(directory: string, use: (store: Store) => Promise<T>): Promise<T> {
  if (!existsSync(join(directory, 'issues', 'schema.yaml'))) layOut(directory);
  const config = loadConfig({ ...process.env, ...environment(directory) }, directory);
  const registry = TableRegistry.mount({ config, session: randomUUID(), now: Date.now, log: () => undefined });
  try {
    registry.resolve('issues').open();
    return await use({ registry, now: Date.now, newId: randomUUID });
  } finally {
    await registry.close();
  }
}

/** Does something a number of times, by so many callers at once; each gets the next number, from 0. */
export async function byCallers(
  callers: number,
  times: number,
  call: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let index = next++; index < times; index = next++) await call(index);
  };
  await Promise.all(Array.from({ length: callers }, work));
}
