import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createRow } from '../../../src/ops/create-row.js';
import { decodeChunk } from '../../../src/projections/row-history/chunk.js';
import { type ArchiveLimits, rollSize } from '../../../src/projections/row-history/project.js';
import { created, deleted, updated } from '../../helpers/open-log.js';
import { hasZstd, zstdContent } from '../../helpers/predecessor.js';
import { caller, type ScratchOptions, ScratchTable } from '../../ops/scratch-table.js';

let table: ScratchTable;

beforeEach(() => {
  table = new ScratchTable();
});

afterEach(() => table.remove());

function scratch(options: ScratchOptions): ScratchTable {
  const replaced = table;
  onTestFinished(() => replaced.remove());
  return new ScratchTable(options);
}

async function edited(archive: ArchiveLimits, versions: number): Promise<string> {
  table = scratch({ archive });
  const id = await table.create({ title: 'version 1' });
  await edit(id, 2, versions);
  return id;
}

async function edit(id: string, from: number, to: number): Promise<void> {
  for (let version = from; version <= to; version++) await table.update(id, { title: `version ${version}` });
}

function chunks(): { first: number; last: number; n: number; blob: Buffer; format: string }[] {
  const sql = `SELECT version_start AS first, version_end AS last, entry_count AS n, blob, format
    FROM _row_history_archive ORDER BY version_start`;
  return table.query(sql) as ReturnType<typeof chunks>;
}

const ranges = () => chunks().map(({ first, last, n }) => [first, last, n]);
const raw = () =>
  table.query('SELECT version FROM _row_history ORDER BY version').map((row) => (row as { version: number }).version);

/** Every chunk in every way it can be read, and the whole history in order. */
async function expectReadable(id: string, versions: number): Promise<void> {
  for (const { blob, first, last, format } of chunks()) {
    expect(format).toBe('jsonl-zstd');
    const entries = await decodeChunk(id, blob);
    expect([entries[0]?.version, entries.at(-1)?.version]).toEqual([first, last]);
    if (hasZstd) expect(zstdContent(blob).split('\n')).toHaveLength(last - first + 2);
  }
  const listed = await table.database.history.list(id);
  expect(listed.map(({ version }) => version)).toEqual(Array.from({ length: versions }, (_, at) => at + 1));
  expect(listed.map(({ data }) => data)).toEqual(listed.map(({ version }) => `{"title":"version ${version}"}`));
}

test.each([
  [0, 16, 48, 0],
  [64, 16, 48, 0],
  [65, 16, 48, 49],
  [1000, 16, 48, 49],
  [5, 3, 2, 0],
  [6, 3, 2, 3],
  [100, 3, 2, 3],
  [1, 0, 0, 1],
  [3, 2, 0, 1],
  [49, 0, 48, 49],
])('of %d entries with keep %d and chunk %d, %d are archived', (entries, keepRecent, chunkMin, expected) => {
  expect(rollSize(entries, { keepRecent, chunkMin })).toBe(expected);
});

test('the 65th entry archives 49, and the 114th the next 49', async () => {
  const id = await edited({ keepRecent: 16, chunkMin: 48 }, 64);
  expect([ranges(), raw().length]).toEqual([[], 64]);
  await edit(id, 65, 65);
  expect([ranges(), raw().length]).toEqual([[[1, 49, 49]], 16]);
  await edit(id, 66, 113);
  expect([ranges(), raw().length]).toEqual([[[1, 49, 49]], 64]);
  await edit(id, 114, 114);
  expect([ranges(), raw()[0]]).toEqual([
    [
      [1, 49, 49],
      [50, 98, 49],
    ],
    99,
  ]);
  await expectReadable(id, 114);
});

test('keep 3 and chunk 2 make chunks of 3', async () => {
  const id = await edited({ keepRecent: 3, chunkMin: 2 }, 5);
  expect(ranges()).toEqual([]);
  await edit(id, 6, 10);
  expect([ranges(), raw()]).toEqual([
    [
      [1, 3, 3],
      [4, 6, 3],
    ],
    [7, 8, 9, 10],
  ]);
  await expectReadable(id, 10);
  expect((await table.update(id, { title: 'version 11' })).version).toBe(11);
});

test('a backlog of 100 loses 3 entries with each change', async () => {
  const id = await edited({ keepRecent: 1000, chunkMin: 2 }, 99);
  const limits = table.operated.database;
  await table.close();
  Object.assign(table.operated, { database: { ...limits, archive: { keepRecent: 3, chunkMin: 2 } } });
  await edit(id, 100, 100);
  expect([ranges(), raw().length]).toEqual([[[1, 3, 3]], 97]);
  await edit(id, 101, 102);
  expect([ranges(), raw().length]).toEqual([
    [
      [1, 3, 3],
      [4, 6, 3],
      [7, 9, 3],
    ],
    93,
  ]);
  await expectReadable(id, 102);
});

test('keep 0 and chunk 0 archive every entry at once', async () => {
  const id = await edited({ keepRecent: 0, chunkMin: 0 }, 4);
  expect([ranges(), raw()]).toEqual([
    [
      [1, 1, 1],
      [2, 2, 1],
      [3, 3, 1],
      [4, 4, 1],
    ],
    [],
  ]);
  await expectReadable(id, 4);
  expect((await table.restore(id, 2)).data.text).toBe('{"title":"version 2"}');
});

test('many versions of one row in one command are archived in frames that hold them as they are', async () => {
  table = scratch({ archive: { keepRecent: 3, chunkMin: 2 } });
  await table.database.log.append({
    caller,
    decide: (tx) => {
      tx.append(created('x', { title: 'version 1' }));
      for (let version = 2; version <= 20; version++) tx.append(updated('x', { title: `version ${version}` }));
    },
  });
  expect(ranges()).toEqual([
    [1, 3, 3],
    [4, 6, 3],
    [7, 9, 3],
    [10, 12, 3],
    [13, 15, 3],
  ]);
  await expectReadable('x', 20);
});

test('one command may archive entries of many rows', async () => {
  table = scratch({ archive: { keepRecent: 1, chunkMin: 1 } });
  const ids = Array.from({ length: 20 }, (_, at) => `row ${at}`);
  for (const version of [1, 2, 3]) {
    await table.database.log.append({
      caller,
      decide: (tx) => {
        const data = { title: `version ${version}` };
        for (const id of ids) tx.append(version === 1 ? created(id, data) : updated(id, data));
      },
    });
  }
  expect(ranges()).toEqual(ids.map(() => [1, 2, 2]));
  for (const id of ids) await expectReadable(id, 3);
});

test('a chunk of entries from before and of the command itself has both', async () => {
  table = scratch({ archive: { keepRecent: 0, chunkMin: 9 } });
  const versions = (from: number, to: number) =>
    table.database.log.append({
      caller,
      decide: (tx) => {
        for (let version = from; version <= to; version++) {
          const data = { title: `version ${version}` };
          tx.append(version === 1 ? created('x', data) : updated('x', data));
        }
      },
    });
  await versions(1, 6);
  await versions(7, 12);
  expect([ranges(), raw()]).toEqual([[[1, 10, 10]], [11, 12]]);
  await expectReadable('x', 12);
});

test('callers at once on one row make the same history', async () => {
  const id = await edited({ keepRecent: 3, chunkMin: 2 }, 1);
  await Promise.all(Array.from({ length: 30 }, (_, at) => table.update(id, { title: `version ${at + 2}` })));
  await expectReadable(id, 31);
});

describe('an entry', () => {
  test('has the predecessor’s op and never the row before', async () => {
    const id = await table.create({ title: 'a' });
    await table.update(id, { title: 'b' });
    await table.delete(id);
    await table.restore(id, 1);
    await table.restore(id, 2);
    const sql = 'SELECT table_name, version, op, data_json, prev_data_json FROM _row_history ORDER BY version';
    expect(table.query(sql).map((row) => Object.values(row as object))).toEqual([
      ['notes', 1, 'create', '{"title":"a"}', null],
      ['notes', 2, 'update', '{"title":"b"}', null],
      ['notes', 3, 'delete', '{"title":"b"}', null],
      ['notes', 4, 'create', '{"title":"a"}', null],
      ['notes', 5, 'update', '{"title":"b"}', null],
    ]);
  });

  test('is not written where history is off, and a row made anew in the same command counts on', async () => {
    table = scratch({ history: 'off' });
    const { id } = await createRow(table.store, { data: { title: 'a' } }, caller);
    await table.update(id, { title: 'b' });
    await table.database.log.append({
      caller,
      decide: (tx) => {
        tx.append({ ...deleted(id), body: '{"history":"off"}' as never });
        tx.append({ ...created(id), body: '{"data":{"title":"c"},"history":"off"}' as never });
      },
    });
    expect(table.query('SELECT * FROM _row_history')).toEqual([]);
    expect(table.query('SELECT version FROM rows')).toEqual([{ version: 4 }]);
  });
});
