/** The product in this process: a table in a directory, as its tools use it. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '../src/events/types.js';
import type { Store } from '../src/ops/store.js';
import { loadConfig } from '../src/tables/config.js';
import { TableRegistry } from '../src/tables/registry.js';

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

/** Lays out one table, `issues`, in a directory for the user scope. */
export function layOut(directory: string, table = 'issues'): void {
  mkdirSync(join(directory, table), { recursive: true });
  writeFileSync(join(directory, table, 'schema.yaml'), schema.replace('issues', table));
}

/** The environment of a server on such a directory. */
export function environment(directory: string): Record<string, string> {
  return { MINI_APP_USER_DIR: directory, MINI_APP_PROJECT_DIR: '', MINI_APP_LOG: 'error' };
}

/** Runs something on a store over the directory's table. */
export async function withStore<T>(directory: string, use: (store: Store) => Promise<T>): Promise<T> {
  layOut(directory);
  const config = loadConfig({ ...process.env, ...environment(directory) }, directory);
  const registry = TableRegistry.mount({ config, session: randomUUID(), now: Date.now, log: () => undefined });
  try {
    registry.resolve('issues').open();
    return await use({ registry, now: Date.now, newId: randomUUID });
  } finally {
    await registry.close();
  }
}
