import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { restoreRow } from '../../src/ops/restore-row.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { type BundledScript, bundleScript } from '../helpers/bundle-script.js';
import { hasZstd, historyLine, predecessorDatabase, zstdFrame } from '../helpers/predecessor.js';
import { race } from '../helpers/race.js';
import { caller, ScratchTable } from '../ops/scratch-table.js';

let table: ScratchTable;

beforeEach(() => {
  table = new ScratchTable();
});

afterEach(() => table.remove());

const strange = [
  '{"title":"plain"}',
  '{"title":"big","n":12345678901234567890,"f":1.0}',
  '{"__proto__":{"x":1},"10":1,"9":2}',
  '{ "title" : "spaced" }',
  ' {"title":"around"} ',
  '{"title":"😀 \\ud83d \\u0000"}',
  '{"a":1,"a":2}',
  'no json',
  '[1,2]',
  '',
];

function fill(): void {
  const database = predecessorDatabase(table.path);
  const insert = database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)');
  for (const [at, data] of strange.entries()) insert.run(`row-${at}`, data, 100 + at, 200 + at);
  const record = database.prepare(
    `INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json) VALUES ('notes', ?, ?, ?, ?, ?)`,
  );
  record.run('row-0', 3, 150, 'update', '{"title":"third"}');
  record.run('row-0', 4, 200, 'update', '{"title":"plain"}');
  record.run('gone', 1, 100, 'create', '{"title":"was here"}');
  record.run('gone', 2, 110, 'delete', '{"title":"was here"}');
  database.close();
}

const rows = () => table.query('SELECT id, data, created_at, updated_at FROM rows ORDER BY rowid');

describe('a database that is not to be adopted', () => {
  test('is an empty one', () => {
    expect(table.database.adoption).toBeNull();
    expect(table.database.head()).toBe(0);
  });

  test('is one whose log is gone but was there', async () => {
    await table.create({ title: 'x' });
    await table.close();
    table.tamper('DELETE FROM _events');
    expect(table.database.adoption).toBeNull();
  });

  test('is one adopted before', async () => {
    fill();
    expect(table.database.adoption).toEqual({ rows: strange.length, historyEntries: 4 });
    await table.close();
    expect(table.database.adoption).toBeNull();
    expect(table.database.head()).toBe(1 + strange.length);
  });
});

describe('an adopted database', () => {
  test('has every row to the byte, in the order they had', async () => {
    fill();
    const before = rows();
    table.database.head();
    expect(rows()).toEqual(before);
    const { checks } = await verifyTable(table.operated);
    expect(checks.filter((check) => !check.ok)).toEqual([]);
  });

  test('says what was there, with digests that depend on all of it', () => {
    fill();
    table.database.head();
    const [event] = table.query(`SELECT body FROM _events WHERE type = 'table.adopted'`) as { body: string }[];
    expect(JSON.parse(event?.body ?? '')).toEqual({
      rows: strange.length,
      rows_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      history_entries: 4,
      history_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      aliases: 0,
    });
  });

  test('restores what the old history has, rows that are gone included, and counts on', async () => {
    fill();
    expect(await restoreRow(table.store, { id: 'row-0', at_unix_secs: 160 }, caller)).toMatchObject({
      data: { text: '{"title":"third"}' },
      created_at: 100,
      version: 5,
    });
    expect(await restoreRow(table.store, { id: 'gone', version: 1 }, caller)).toMatchObject({
      data: { text: '{"title":"was here"}' },
      created_at: 100,
      version: 3,
    });
    const { version } = await table.update('row-1', { title: 'changed' });
    expect(version).toBe(1);
    expect((await table.restore('row-1', 0)).data.text).toBe('{"title":"big","n":12345678901234567890,"f":1.0}');
  });

  test('keeps digits that no JavaScript number has when another member changes', async () => {
    fill();
    const { data } = await table.update('row-1', { title: 'small' });
    expect(data.text).toBe('{"title":"small","n":12345678901234567890,"f":1.0}');
  });

  test.skipIf(!hasZstd)('restores from chunks that the predecessor wrote (needs the zstd command)', async () => {
    fill();
    const database = new Database(table.path);
    const lines = [1, 2].map((version) => historyLine(version, 100 + version, { title: `version ${version}` }));
    const blob = Buffer.concat(lines.map(zstdFrame));
    database
      .prepare(
        `INSERT INTO _row_history_archive (table_name, row_id, version_start, version_end, recorded_start, recorded_end,
           entry_count, blob) VALUES ('notes', 'row-0', 1, 2, 101, 102, 2, ?)`,
      )
      .run(blob);
    database.close();
    expect(table.database.adoption).toMatchObject({ historyEntries: 6 });
    expect((await table.restore('row-0', 2)).data.text).toBe('{"title":"version 2"}');
    expect(table.query('SELECT blob FROM _row_history_archive')).toEqual([{ blob }]);
  });
});

test('processes that adopt one database at once adopt it once', async () => {
  const script: BundledScript = await bundleScript('test/helpers/open-table-child.ts');
  try {
    for (let round = 0; round < 2; round++) {
      await table.remove();
      table = new ScratchTable();
      fill();
      const said = (await race(script.path, [table.path], 6)) as { adoption: unknown }[];
      expect(said.filter(({ adoption }) => adoption !== null)).toHaveLength(1);
      expect(table.query(`SELECT type, count(*) AS n FROM _events GROUP BY type ORDER BY type`)).toEqual([
        { type: 'row.created', n: 6 },
        { type: 'row.imported', n: strange.length },
        { type: 'table.adopted', n: 1 },
      ]);
      expect((await verifyTable(table.operated)).ok).toBe(true);
    }
  } finally {
    script.remove();
  }
}, 30_000);
