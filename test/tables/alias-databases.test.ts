import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createAlias } from '../../src/ops/create-alias.js';
import { deleteAlias } from '../../src/ops/delete-alias.js';
import { listAliases } from '../../src/ops/list-aliases.js';
import { runAlias } from '../../src/ops/run-alias.js';
import { tempDir } from '../helpers/temp-dir.js';
import { addTable, mountStore, oldAliases } from '../ops/alias-world.js';
import { caller } from '../ops/store-of.js';

const any = '{"type":"like","field":"title","pattern":"%"}';
const template = '{"type":"eq","field":"state","value":"{{ state }}"}';

function predecessor(): string {
  const directory = tempDir();
  for (const name of ['a', 'b']) addTable(directory, 'user', name);
  addTable(directory, 'project', 'c');
  oldAliases(join(directory, 'user/a/a.db'), [
    { name: 'all', filter: any, limit: 5 },
    { name: 'by_state', filter: template, params: '["state"]' },
    { name: 'unread', filter: '{"type":"eq","field":"points","value":{{ n }}}' },
  ]);
  oldAliases(
    join(directory, 'user/b/b.db'),
    [
      { name: 'all', filter: any },
      { name: 'old', filter: any },
    ],
    false,
  );
  oldAliases(join(directory, 'project/c/c.db'), [{ name: 'mine', filter: any }]);
  return directory;
}

it('aliases of tables are taken over into the store of their scope, with and without params_schema', async () => {
  const store = mountStore(predecessor());
  const single = (value: string) => ({ kind: 'single', value });
  expect(await listAliases(store, {})).toMatchObject([
    { name: 'all', sources: single('a'), filter: JSON.parse(any), default_limit: 5, scope: 'user', fields: null },
    { name: 'by_state', sources: single('a'), filter: null, filter_template: template, params_schema: ['state'] },
    { name: 'mine', sources: single('c'), scope: 'project' },
    { name: 'old', sources: single('b'), scope: 'user' },
    { name: 'unread', filter: null, filter_template: expect.stringContaining('{{ n }}') },
  ]);
  expect(await runAlias(store, { name: 'by_state', params: { state: 'open' } })).toEqual([]);
  expect(await runAlias(store, { name: 'unread', params: { n: 1 } })).toEqual([]);
});

it('taking over again changes nothing, and what was deleted stays deleted', async () => {
  const directory = predecessor();
  const store = mountStore(directory);
  await deleteAlias(store, { name: 'all' }, caller);
  await createAlias(store, { table: 'a', name: 'new', filter: JSON.parse(any), scope: 'user' }, caller);
  await deleteAlias(store, { name: 'new' }, caller);
  const names = async (asked = store) => (await listAliases(asked, {})).map((alias) => alias.name);
  const kept = ['by_state', 'mine', 'old', 'unread'];
  expect(await names()).toEqual(kept);
  await store.registry.reload();
  expect(await names()).toEqual(kept);
  const others = [mountStore(directory), mountStore(directory)];
  expect(await Promise.all(others.map(names))).toEqual([kept, kept]);
  const database = new Sqlite(join(directory, 'user/_global.db'), { readonly: true });
  const events = database.prepare("SELECT type FROM _events WHERE type = 'alias.migrated'").all();
  expect(events).toHaveLength(4);
  database.close();
});

it('a reload finds the aliases of a table that came later', async () => {
  const directory = predecessor();
  const store = mountStore(directory);
  await listAliases(store, {});
  addTable(directory, 'user', 'late');
  oldAliases(join(directory, 'user/late/late.db'), [{ name: 'late', filter: any }]);
  await store.registry.reload();
  expect(await listAliases(store, { table: 'late' })).toMatchObject([{ name: 'late' }]);
});

it('the predecessor’s own store gets the missing columns, and its aliases come into the log', async () => {
  const directory = tempDir();
  addTable(directory, 'user', 'a');
  mkdirSync(join(directory, 'user'), { recursive: true });
  const old = new Sqlite(join(directory, 'user/_global.db'));
  old.exec(`CREATE TABLE _global_aliases (name TEXT PRIMARY KEY, sources_json TEXT NOT NULL, aggregator_json TEXT,
    filter TEXT NOT NULL, default_limit INTEGER, description TEXT, params_schema TEXT)`);
  const insert = old.prepare(
    'INSERT INTO _global_aliases (name, sources_json, aggregator_json, filter) VALUES (?, ?, ?, ?)',
  );
  insert.run('one', '{"kind":"single","value":"a"}', null, any);
  insert.run('two', '{"kind":"pattern","value":"a*"}', '{"kind":"count"}', any);
  insert.run('marker', '{"kind":"single","value":""}', null, any);
  insert.run('odd', 'not json', null, any);
  const store = mountStore(directory);
  expect(await listAliases(store, {})).toMatchObject([
    { name: 'marker' },
    { name: 'odd', sources: null },
    { name: 'one', fields: null, order_by: null },
    { name: 'two', aggregator: { kind: 'count' } },
  ]);
  expect(await runAlias(store, { name: 'one' })).toEqual([]);
  expect(await runAlias(store, { name: 'two' })).toEqual({ kind: 'count', value: 0 });
  expect(await runAlias(store, { name: 'marker', table: 'a' })).toEqual([]);
  await expect(runAlias(store, { name: 'marker' })).rejects.toMatchObject({ code: 'TABLE_REQUIRED' });
  await expect(runAlias(store, { name: 'odd' })).rejects.toMatchObject({ code: 'SCHEMA_ERROR' });
  expect(old.prepare('SELECT count(*) AS n FROM _events').get()).toEqual({ n: 4 });
  await deleteAlias(store, { name: 'one' }, caller);
  insert.run('one', '{"kind":"single","value":"a"}', null, any);
  await store.registry.reload();
  expect(await listAliases(store, { table: 'a' })).toMatchObject([{ name: 'one' }, { name: 'two' }]);
  old.close();
});
