/** A data directory of the predecessor (test/fixtures/predecessor): opened, used, and left as the predecessor can use it. */
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decompress } from '@mongodb-js/zstd';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aggregate } from '../src/ops/aggregate.js';
import { deleteAlias } from '../src/ops/delete-alias.js';
import { deleteRow } from '../src/ops/delete-row.js';
import { doctor } from '../src/ops/doctor.js';
import { getRow } from '../src/ops/get-row.js';
import { listAliases } from '../src/ops/list-aliases.js';
import { listRows } from '../src/ops/list-rows.js';
import type { OperatedTable } from '../src/ops/operated-table.js';
import { rebuildTable } from '../src/ops/rebuild-table.js';
import { reconcileTable } from '../src/ops/reconcile-table.js';
import { restoreRow } from '../src/ops/restore-row.js';
import { runAlias } from '../src/ops/run-alias.js';
import { snapshotTables } from '../src/ops/snapshot-tables.js';
import { updateRow } from '../src/ops/update-row.js';
import { verifyTable } from '../src/ops/verify-table.js';
import { encodeJson } from '../src/schema/json.js';
import { PredecessorWrites } from './helpers/predecessor-writes.js';
import { newDir } from './helpers/temp-dir.js';
import { caller, ScopeStore } from './ops/scope-store.js';

const fixture = fileURLToPath(new URL('./fixtures/predecessor/', import.meta.url));
const start = 1_700_000_000;
const id = (n: number) => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
const names = ['log_a', 'log_b', 'notes', 'old'];

let store: ScopeStore;

beforeEach(() => {
  const directory = newDir();
  cpSync(fixture, directory, { recursive: true });
  store = new ScopeStore({ directory });
});

afterEach(() => store.dispose());

const wire = (value: unknown) => JSON.parse(encodeJson(value));
const restored = async (table: string, row: string, version: number) =>
  wire(await restoreRow(store, { table, id: row, version }, caller));

function operated(name: string): OperatedTable {
  const { schema, databasePath: path } = store.registry.resolve(name);
  const archive = { keepRecent: 16, chunkMin: 48 };
  const database = { path, name, historyName: schema.table, archive, history: schema.history };
  return { name, schema, database: { ...database, session: 'test', now: () => store.now() } };
}

async function expectProven(): Promise<void> {
  for (const name of names) {
    store.registry.resolve(name).open();
    const { checks } = await verifyTable(operated(name));
    expect(checks.filter((check) => !check.ok)).toEqual([]);
  }
}

function query(path: string, sql: string): unknown[][] {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare<[], unknown[]>(sql).raw().all();
  } finally {
    database.close();
  }
}

const file = (name: string) => store.registry.resolve(name).databasePath;

describe('a data directory of the predecessor', () => {
  it('is opened with every table, and adopted with nothing lost', async () => {
    expect(store.registry.tables().map(({ name, scope }) => [name, scope])).toEqual([
      ['log_a', 'project'],
      ['log_b', 'project'],
      ['notes', 'user'],
      ['old', 'user'],
    ]);
    expect(store.registry.failed()).toEqual([]);
    for (const name of names) {
      const kept = `SELECT id, data, created_at, updated_at FROM rows ORDER BY rowid`;
      const scope = name.startsWith('log') ? 'project' : 'user';
      await listRows(store, { table: name });
      expect(query(file(name), kept)).toEqual(query(unopened(scope, name), kept));
      const history = 'SELECT * FROM _row_history ORDER BY id';
      expect(query(file(name), history)).toEqual(query(unopened(scope, name), history));
    }
    const archive = 'SELECT * FROM _row_history_archive ORDER BY id';
    expect(query(file('notes'), archive)).toEqual(query(unopened('user', 'notes'), archive));
    await expectProven();
  });

  it('is examined before its first use without alarm', () => {
    const { ok, findings, tables } = doctor({ tables: names.map(operated), failed: [], now: store.now() });
    expect([ok, tables.map(({ events }) => events)]).toEqual([true, [0, 0, 0, 0]]);
    expect(findings.map(({ message }) => message)).toEqual(names.map(() => expect.stringMatching(/no log yet/)));
  });

  it('is listed in the order of creation, with digits and texts as they were', async () => {
    const rows = await listRows(store, { table: 'notes', limit: 10 });
    expect(rows.map((row) => row.id)).toEqual([id(5), id(4), id(2), id(1)]);
    const exact = '{"ids":[18446744073709551615,9007199254740993],"size":1.0,"title":"größer 😀"}';
    expect(encodeJson(await getRow(store, { table: 'notes', id: '00000002' }))).toContain(exact);
    const done = { type: 'eq', field: 'done', value: true };
    expect(await listRows(store, { table: 'notes', filter: done })).toHaveLength(2);
  });

  it('has its history restored from, raw and archived, at a time and by version', async () => {
    expect(await restored('notes', id(1), 7)).toMatchObject({ data: { title: 'v7' }, version: 131 });
    expect(await restored('notes', id(1), 98)).toMatchObject({ data: { title: 'v98' }, version: 132 });
    expect(await restored('notes', id(1), 99)).toMatchObject({ data: { title: 'v99' }, created_at: start + 1 });
    const at = { table: 'notes', id: id(1), at_unix_secs: start + 60 };
    expect(wire(await restoreRow(store, at, caller))).toMatchObject({ data: { title: 'v60' }, version: 134 });
    expect(await restored('notes', id(3), 1)).toMatchObject({ data: { title: 'gone' }, created_at: start + 132 });
    expect(await restored('notes', id(4), 1)).toMatchObject({ data: { title: 'first life' }, version: 4 });
    expect(await restored('old', id(1), 1)).toMatchObject({ data: { title: 'one' }, version: 3 });
    expect(await restored('old', id(2), 2)).toMatchObject({ data: { title: 'removed' }, version: 3 });
    await expectProven();
    for (const name of names) expect((await rebuildTable(operated(name), { caller })).replaced).toEqual([]);
  });

  it('is aggregated, also over several tables', async () => {
    const both = { kind: 'multi', value: ['log_a', 'log_b'] };
    const sum = { kind: 'sum', field: 'amount' };
    expect(wire(await aggregate(store, { sources: both, aggregator: sum }))).toEqual({ kind: 'value', value: 11.5 });
  });

  it('has aliases of every kind that run', async () => {
    const aliases = await listAliases(store, {});
    expect(aliases.map(({ name, scope }) => [name, scope])).toEqual([
      ['by_tag', 'project'],
      ['done', 'user'],
      ['largest', 'project'],
      ['local', 'user'],
      ['starting', 'user'],
      ['total', 'project'],
      ['twos', 'user'],
    ]);
    const run = async (name: string, params?: object) => wire(await runAlias(store, { name, params }));
    expect(await run('done')).toHaveLength(2);
    expect(await run('starting', { start: 'second' })).toMatchObject([{ data: { title: 'second life' } }]);
    expect(await run('local')).toMatchObject([{ id: id(5) }]);
    expect(await run('twos')).toHaveLength(1);
    expect(await run('total')).toEqual({ kind: 'value', value: 11.5 });
    expect((await run('largest')).map(({ data }: { data: object }) => data)).toEqual([
      { amount: 3.5 },
      { amount: 2.5 },
    ]);
    expect(await run('by_tag')).toEqual({
      kind: 'groups',
      value: [
        { key: 't0', count: 2, value: 5 },
        { key: 't1', count: 3, value: 6.5 },
      ],
    });
    await deleteAlias(store, { name: 'local' }, caller);
    await store.registry.reload();
    expect((await listAliases(store, {})).map(({ name }) => name)).not.toContain('local');
  });

  it('has aliases run that were stored with an empty order, which meant none', async () => {
    const global = new Database(store.path('project', '_global.db'));
    global.exec(`UPDATE _global_aliases SET order_by = '[]' WHERE name = 'largest'`);
    global.close();
    expect(wire(await runAlias(store, { name: 'largest' }))).toHaveLength(2);
  });

  it('has its snapshots and backups counted among the generations', async () => {
    const preview = await snapshotTables(store, { table: 'notes', dry_run: true });
    expect(preview).toMatchObject({ affects: { would_purge_generations: { notes: 0 } } });
    await snapshotTables(store, { table: 'notes' });
    expect(readdirSync(store.path('user', '_snapshots')).filter((name) => name.endsWith('.db'))).toHaveLength(2);
    expect(readdirSync(store.path('user', '_backup'))).toHaveLength(4);
  });

  it('is left as the predecessor keeps one', async () => {
    for (let n = 1; n <= 70; n++) await updateRow(store, { table: 'notes', id: id(1), data: { size: n } }, caller);
    await deleteRow(store, { table: 'notes', id: id(2) }, caller);
    const path = file('notes');
    await store.close();
    expect(query(path, 'PRAGMA journal_mode')).toEqual([['wal']]);
    expect(query(path, `SELECT name FROM pragma_table_info('rows') LIMIT 4`).flat()).toEqual([
      'id',
      'data',
      'created_at',
      'updated_at',
    ]);
    const chunks = `SELECT version_start, version_end, entry_count, format FROM _row_history_archive ORDER BY id`;
    expect(query(path, chunks)).toEqual([
      [1, 49, 49, 'jsonl-zstd'],
      [50, 98, 49, 'jsonl-zstd'],
      [99, 147, 49, 'jsonl-zstd'],
    ]);
    const [chunk] = query(path, 'SELECT blob FROM _row_history_archive WHERE version_start = 99');
    const lines = (await decompress(chunk?.[0] as Buffer)).toString('utf8').split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([50, '']);
    expect(Object.keys(JSON.parse(lines[48] ?? ''))).toEqual(['version', 'recorded_at', 'op', 'data_json']);
    expect(JSON.parse(JSON.parse(lines[48] ?? '').data_json)).toMatchObject({ size: 17 });
    const newest = `SELECT row_id, version, op, data_json IS NOT NULL, prev_data_json, table_name FROM _row_history
      ORDER BY id DESC LIMIT 2`;
    expect(query(path, newest)).toEqual([
      [id(2), 2, 'delete', 1, null, 'field_notes'],
      [id(1), 200, 'update', 1, null, 'field_notes'],
    ]);
  });

  it('goes back and forth between both programs', async () => {
    await updateRow(store, { table: 'notes', id: id(1), data: { size: 1 } }, caller);
    await store.close();
    const theirs = new PredecessorWrites(file('notes'), 'field_notes');
    for (let n = 1; n <= 40; n++) await theirs.update(id(1), { title: `theirs ${n}` }, start + 1000 + n);
    await theirs.delete(id(2), start + 2000);
    await theirs.create(id(9), { title: 'theirs' }, start + 2000);
    theirs.close();

    store = new ScopeStore({ directory: store.directory });
    expect(await restored('notes', id(1), 140)).toMatchObject({ data: { title: 'theirs 9' } });
    const { rows } = await reconcileTable(operated('notes'), { caller });
    expect(rows.map((row) => row.op).sort()).toEqual(['create', 'delete']);
    await expectProven();
    expect(await restored('notes', id(2), 1)).toMatchObject({ data: { title: 'größer 😀' } });
    expect((await rebuildTable(operated('notes'), { caller })).replaced).toEqual([]);
    await expectProven();
  });
});

/** The fixture's file, in a place of its own: opening a file in WAL mode leaves traces. */
function unopened(scope: string, name: string): string {
  const directory = newDir();
  cpSync(join(fixture, scope, name), directory, { recursive: true });
  return join(directory, `${name}.db`);
}
