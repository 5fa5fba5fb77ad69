import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openDatabase } from '../../../src/events/database.js';
import { encodeLines, storedFrame } from '../../../src/projections/row-history/chunk.js';
import { HistoryRows } from '../../../src/projections/row-history/history-rows.js';
import type { HistoryEntry, HistoryQueries } from '../../../src/projections/row-history/queries.js';
import { SqliteHistoryQueries } from '../../../src/projections/row-history/sqlite-history-queries.js';
import type { JsonText } from '../../../src/schema/json.js';
import { newDir, removeDir } from '../../helpers/temp-dir.js';

let directory: string;
let connection: Connection;
let rows: HistoryRows;
let history: HistoryQueries;

const entry = (version: number, recordedAt: number): HistoryEntry => ({
  ...{ id: 0, rowId: 'x', version, recordedAt, op: 'update' },
  data: `{"v":${version}}` as JsonText,
});

beforeEach(() => {
  directory = newDir();
  connection = openDatabase(`${directory}/table.db`).connection;
  rows = new HistoryRows(connection, 'notes');
  history = new SqliteHistoryQueries(rows);
});

afterEach(() => {
  connection.close();
  removeDir(directory);
});

/** Ten entries a hundred seconds apart from 1000 on: 1 to 3 and 4 to 6 archived. */
function tenEntries(): void {
  const ten = Array.from({ length: 10 }, (_, at) => entry(at + 1, 1000 + 100 * at));
  for (const chunk of [ten.slice(0, 3), ten.slice(3, 6)]) rows.insertChunk('x', chunk, storedFrame(encodeLines(chunk)));
  for (const each of ten.slice(6)) rows.insert(each);
}

describe('nothing is found', () => {
  test('of a row without entries, before the first entry, of a version that is not there', async () => {
    tenEntries();
    expect(await history.at('y', 5000)).toBeNull();
    expect(await history.at('x', 999)).toBeNull();
    expect(await history.version('x', 11)).toBeNull();
    expect(await history.version('x', 0)).toBeNull();
    expect(await history.list('y')).toEqual([]);
  });

  test('of another table in the same file', async () => {
    tenEntries();
    const other = new SqliteHistoryQueries(new HistoryRows(connection, 'other'));
    expect(await other.at('x', 5000)).toBeNull();
    expect(other.idsWithPrefix('x')).toEqual([]);
  });
});

test.each([
  [1000, 1],
  [1450, 5],
  [1500, 6],
  [1599, 6],
  [1600, 7],
  [1900, 10],
  [9_999_999_999, 10],
])('at %d stands version %d', async (at, version) => {
  tenEntries();
  expect(await history.at('x', at)).toMatchObject({ version, data: `{"v":${version}}` });
});

test('of entries of one second the newest version counts, in both tiers', async () => {
  const archived = [entry(1, 50), entry(2, 50)];
  rows.insertChunk('x', archived, storedFrame(encodeLines(archived)));
  rows.insert(entry(3, 60));
  rows.insert(entry(4, 60));
  expect(await history.at('x', 50)).toMatchObject({ version: 2 });
  expect(await history.at('x', 60)).toMatchObject({ version: 4 });
});

test('a clock that went back does not hide an entry', async () => {
  const archived = [entry(1, 100), entry(2, 300), entry(3, 200)];
  rows.insertChunk('x', archived, storedFrame(encodeLines(archived)));
  expect(await history.at('x', 250)).toMatchObject({ version: 3 });
  expect(await history.at('x', 300)).toMatchObject({ version: 2 });
});

test('every version is found and listed once, archived ones with id 0', async () => {
  tenEntries();
  const listed = await history.list('x');
  expect(listed.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(listed.map(({ id }) => id > 0)).toEqual([...Array(6).fill(false), ...Array(4).fill(true)]);
  for (const each of listed) expect(await history.version('x', each.version)).toEqual(each);
  expect(rows.lastVersion('x')).toBe(10);
});

test('old entries without data, or with the row before, are read', async () => {
  connection.exec(`INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json, prev_data_json)
    VALUES ('notes', 'old', 1, 5, 'delete', NULL, '{"a":1}')`);
  expect(await history.at('old', 5)).toMatchObject({ data: null, previous: '{"a":1}' });
});

test('ids are found by prefix with wildcards as they are, letter case ignored', () => {
  for (const id of ['aB_1', 'ab%2', 'abc', 'b']) rows.insert({ ...entry(1, 1), rowId: id });
  expect(history.idsWithPrefix('AB')).toEqual(['aB_1', 'ab%2', 'abc']);
  expect(history.idsWithPrefix('ab%')).toEqual(['ab%2']);
  expect(history.idsWithPrefix('ab_')).toEqual(['aB_1']);
});
