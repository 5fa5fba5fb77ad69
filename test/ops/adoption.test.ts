import { compress } from '@mongodb-js/zstd';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { parsePoint } from '../../src/ops/replay/point.js';
import { replayTo } from '../../src/ops/replay-to.js';
import { restoreTable } from '../../src/ops/restore-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

const live = '0a000000-0000-4000-8000-000000000001';
const large = '0b000000-0000-4000-8000-000000000002';
const gone = '0c000000-0000-4000-8000-000000000003';

let table: ScratchTable;

/** What the predecessor left: storage.md §3, with a database of before the aliases' templates. */
async function leavePredecessor(path: string): Promise<void> {
  const lines = [1, 2, 3].map((version) =>
    JSON.stringify({
      version,
      recorded_at: 1000 + version,
      op: version === 1 ? 'create' : 'update',
      data_json: `{"title":"v${version}"}`,
    }),
  );
  const blob = await compress(Buffer.from(`${lines.join('\n')}\n`));
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.exec(`
    CREATE TABLE rows (id TEXT PRIMARY KEY, data TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
    CREATE TABLE _aliases (name TEXT PRIMARY KEY, filter TEXT NOT NULL, default_limit INTEGER, description TEXT);
    CREATE TABLE _row_history (id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL, row_id TEXT NOT NULL,
      version INTEGER NOT NULL, recorded_at INTEGER NOT NULL, op TEXT NOT NULL CHECK (op IN ('create','update','delete')),
      data_json TEXT, prev_data_json TEXT);
    CREATE UNIQUE INDEX idx_row_history_version ON _row_history (table_name, row_id, version);
    CREATE TABLE _row_history_archive (id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL, row_id TEXT NOT NULL,
      version_start INTEGER NOT NULL, version_end INTEGER NOT NULL, recorded_start INTEGER NOT NULL,
      recorded_end INTEGER NOT NULL, entry_count INTEGER NOT NULL, format TEXT NOT NULL DEFAULT 'jsonl-zstd', blob BLOB NOT NULL);
    INSERT INTO rows VALUES ('${large}', '{"count":123456789012345678901,"title":"large"}', 900, 950);
    INSERT INTO rows VALUES ('${live}', '{"title":"v5"}', 1001, 1005);
    INSERT INTO _aliases VALUES ('open', '{"type":"eq","field":"title","value":"x"}', NULL, NULL);
    INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json, prev_data_json) VALUES
      ('notes', '${live}', 4, 1004, 'update', '{"title":"v4"}', '{"title":"v3"}'),
      ('notes', '${live}', 5, 1005, 'update', '{"title":"v5"}', NULL),
      ('notes', '${gone}', 1, 800, 'create', '{"title":"gone"}', NULL),
      ('notes', '${gone}', 2, 810, 'delete', '{"title":"gone"}', NULL);`);
  database
    .prepare(`INSERT INTO _row_history_archive (table_name, row_id, version_start, version_end, recorded_start, recorded_end,
      entry_count, blob) VALUES ('notes', ?, 1, 3, 1001, 1003, 3, ?)`)
    .run(live, blob);
  database.close();
}

beforeEach(async () => {
  table = new ScratchTable({ archive: { keepRecent: 3, chunkMin: 2 } });
  await leavePredecessor(table.path);
  expect(table.database.adoption).toEqual({ rows: 2, historyEntries: 7 });
});

afterEach(() => table.remove());

async function expectProven(): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

const history = async (id: string) =>
  (await table.database.history.list(id)).map(({ version, op, data, previous }) => [version, op, data, previous]);

describe('a database of the predecessor', () => {
  it('is adopted with nothing lost, and proven', async () => {
    await expectProven();
    expect(table.query('SELECT data FROM rows WHERE id = ?', large)).toEqual([
      { data: '{"count":123456789012345678901,"title":"large"}' },
    ]);
    expect(table.query('SELECT name, params_schema FROM _aliases')).toEqual([{ name: 'open', params_schema: null }]);
    expect((await history(live)).map(([version]) => version)).toEqual([1, 2, 3, 4, 5]);
  });

  it('has its old history brought back by version, archived or deleted', async () => {
    expect(await table.restore(live, 2)).toMatchObject({
      data: { text: '{"title":"v2"}' },
      version: 6,
      created_at: 1001,
    });
    expect(await table.restore(live, 4)).toMatchObject({ data: { text: '{"title":"v4"}' } });
    expect(await table.restore(gone, 1)).toMatchObject({
      data: { text: '{"title":"gone"}' },
      version: 3,
      created_at: 800,
    });
    for (let count = 0; count < 9; count++) await table.update(live, { count });
    await expectProven();
  });

  it('keeps it through a rebuild, also where a chunk holds old and new entries', async () => {
    for (let count = 0; count < 4; count++) await table.update(live, { count });
    const before = await history(live);
    expect(table.query('SELECT version_start, version_end FROM _row_history_archive')).toContainEqual({
      version_start: 4,
      version_end: 6,
    });
    table.tamper(`UPDATE rows SET updated_at = 1; UPDATE _row_history SET op = 'create' WHERE version > 6`);
    const { replaced } = await rebuildTable(table.operated, { caller });
    expect(replaced.map((one) => one.projection)).toEqual(['rows', 'row-history']);
    expect(await history(live)).toEqual(before);
    expect(await history(gone)).toHaveLength(2);
    await expectProven();
  });

  it('goes back to its adoption, not before', async () => {
    const then = table.contents();
    await table.delete(live);
    await table.create({ title: 'new' });
    await expect(restoreTable(table.operated, { caller, to: parsePoint('1') })).rejects.toThrow(/adopted/);
    await restoreTable(table.operated, { caller, to: parsePoint('3') });
    expect(table.contents()).toEqual(then);
    await expectProven();
  });

  it('is replayed into a file with all of it', async () => {
    for (let count = 0; count < 4; count++) await table.update(live, { count });
    const out = `${table.directory}/copy.db`;
    await replayTo(table.operated, { to: parsePoint('5'), out });
    const copy = { ...table.operated, database: { ...table.operated.database, path: out } };
    const { checks, events } = await verifyTable(copy);
    expect([checks.filter((check) => !check.ok), events]).toEqual([[], 5]);
    const opened = new Database(out);
    expect(opened.prepare('SELECT count(*) FROM _aliases').pluck().get()).toBe(1);
    opened.close();
  });

  it('has a forged old entry taken for what it is: before the log nothing vouches', async () => {
    table.tamper(`INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json)
      VALUES ('notes', '${live}', 6, 1, 'update', '{}')`);
    const { checks } = await verifyTable(table.operated);
    expect(checks.find((check) => check.name === 'row history')?.first_difference).toMatch(
      /version 6 that no event made/,
    );
  });
});
