import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRow } from '../../src/ops/create-row.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from '../ops/scratch-table.js';

let table: ScratchTable;
let id: string;

beforeEach(async () => {
  table = new ScratchTable();
  id = await table.create({ title: 'first', count: 1 });
});

afterEach(() => table.remove());

async function expectProven(): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

function data(rowId: string): unknown {
  const [row] = table.query('SELECT data FROM rows WHERE id = ?', rowId) as { data: string }[];
  return row === undefined ? null : JSON.parse(row.data);
}

function types(): unknown[] {
  return table.query('SELECT type FROM _events ORDER BY seq').map((row) => (row as { type: string }).type);
}

describe('a row that somebody changed past the log', () => {
  it('is not taken for what the log says: the next command decides on what stands there', async () => {
    table.foreign(`UPDATE rows SET data = '{"title":"theirs","count":7}' WHERE id = '${id}'`);
    const { data: merged, version } = await table.update(id, { title: 'ours' });
    expect(merged.text).toBe('{"title":"ours","count":7}');
    expect(version).toBe(3);
    expect(types()).toEqual(['row.created', 'row.reconciled', 'row.updated']);
    await expectProven();
  });

  it('that is gone is not found, and its deletion stays to be recorded', async () => {
    table.foreign(`DELETE FROM rows WHERE id = '${id}'`);
    await expect(table.update(id, { title: 'ours' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(types()).toEqual(['row.created']);
    expect(table.database.notedForeignWrites()).toEqual([id]);
    await table.restore(id, 1);
    expect(types()).toEqual(['row.created', 'row.reconciled', 'row.restored']);
    await expectProven();
  });

  it('is recorded under the name of nobody we know', async () => {
    table.foreign(`UPDATE rows SET updated_at = 5 WHERE id = '${id}'`);
    await table.update(id, { count: 2 });
    const [event] = table.query(`SELECT actor, origin FROM _events WHERE type = 'row.reconciled'`);
    expect(event).toEqual({ actor: 'unknown', origin: '{"tool":"foreign-write","session":"unknown"}' });
  });

  it('and changed back leaves nothing to record', async () => {
    const before = table.query('SELECT data FROM rows')[0] as { data: string };
    table.foreign(`UPDATE rows SET data = '{}'; UPDATE rows SET data = '${before.data}'`);
    await table.update(id, { count: 2 });
    expect(types()).toEqual(['row.created', 'row.updated']);
    expect(table.database.notedForeignWrites()).toEqual([]);
    await expectProven();
  });

  it.each([
    ['UPDATE', `UPDATE rows SET data = '{"title":"b"}'`],
    ['UPDATE OR REPLACE', `UPDATE OR REPLACE rows SET data = '{"title":"b"}'`],
    ['UPDATE OR ABORT', `UPDATE OR ABORT rows SET data = '{"title":"b"}'`],
    ['UPDATE OR FAIL', `UPDATE OR FAIL rows SET data = '{"title":"b"}'`],
    ['REPLACE', `REPLACE INTO rows (id, data, created_at, updated_at) SELECT id, '{"title":"b"}', 1, 2 FROM rows`],
    [
      'upsert',
      `INSERT INTO rows (id, data, created_at, updated_at) SELECT id, '{"title":"b"}', 1, 2 FROM rows WHERE true
       ON CONFLICT (id) DO UPDATE SET data = excluded.data`,
    ],
  ])('twice, the second time by %s, is recorded against what the log says', async (_kind, sql) => {
    table.foreign(`UPDATE rows SET data = '{"title":"a","count":1,"more":[1,2,3]}'`);
    table.foreign(sql);
    await table.update(id, { count: 2 });
    expect(data(id)).toEqual({ title: 'b', count: 2 });
    await expectProven();
  });

  it('under another id is a deletion and a creation', async () => {
    table.foreign(`UPDATE rows SET id = 'moved' WHERE id = '${id}'`);
    await table.update('moved', { count: 3 });
    await table.restore(id, 1);
    expect(types()).toEqual(['row.created', 'row.reconciled', 'row.updated', 'row.reconciled', 'row.restored']);
    await expectProven();
  });

  it('keeps text that is no JSON, or JSON with space around it, to the byte', async () => {
    table.foreign(`INSERT INTO rows (id, data, created_at, updated_at) VALUES ('odd', 'no json', 1, 1);
      INSERT INTO rows (id, data, created_at, updated_at) VALUES ('wide', '  {"title": "x"}' || char(10), 1, 1)`);
    await expect(table.update('odd', { count: 1 })).rejects.toMatchObject({ code: 'SCHEMA_ERROR' });
    await table.database.log.append({ caller, decide: (tx) => [tx.row('odd'), tx.row('wide')] });
    expect(table.query(`SELECT data FROM rows WHERE id IN ('odd', 'wide') ORDER BY id`)).toEqual([
      { data: 'no json' },
      { data: '  {"title": "x"}\n' },
    ]);
    await expectProven();
  });

  it('is recorded once when a repeated command comes upon it', async () => {
    const input = { data: { title: 'once' }, idempotency_key: 'k' };
    const first = await createRow(table.store, input, caller);
    table.foreign(`UPDATE rows SET data = '{"title":"theirs"}' WHERE id = '${first.id}'`);
    const again = await createRow(table.store, input, caller);
    expect(again).toEqual({ ...first, replayed: true });
    expect(data(first.id)).toEqual({ title: 'theirs' });
    await table.update(first.id, { count: 1 });
    await expectProven();
  });
});

describe('without history', () => {
  it('a foreign change is recorded and leaves no entry', async () => {
    const off = new ScratchTable({ history: 'off' });
    const row = await off.create({ title: 'x' });
    off.foreign(`UPDATE rows SET data = '{"title":"y"}'`);
    await off.update(row, { count: 1 });
    expect(off.query('SELECT count(*) AS n FROM _row_history')).toEqual([{ n: 0 }]);
    expect((await verifyTable(off.operated)).ok).toBe(true);
    await off.remove();
  });
});
