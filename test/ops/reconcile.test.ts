import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcileTable } from '../../src/ops/reconcile-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

let table: ScratchTable;
let ids: string[];

beforeEach(async () => {
  table = new ScratchTable();
  ids = [];
  for (let count = 0; count < 4; count++) ids.push(await table.create({ title: `row ${count}` }));
});

afterEach(() => table.remove());

async function expectProven(): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

describe('reconcile', () => {
  it('finds nothing in a table that only its writer wrote', async () => {
    expect(await reconcileTable(table.operated, { caller })).toEqual({ table: 'notes', dry_run: false, rows: [] });
    expect(table.database.head()).toBe(4);
  });

  it('records what was noted, as it stands', async () => {
    table.foreign(`UPDATE rows SET data = '{"title": "spaced out"}' WHERE id = '${ids[0]}';
      DELETE FROM rows WHERE id = '${ids[1]}';
      INSERT INTO rows (id, data, created_at, updated_at) VALUES ('mine', 'no json', 7, 8)`);
    const { rows } = await reconcileTable(table.operated, { caller });
    expect(rows).toHaveLength(3);
    expect(rows).toEqual(
      expect.arrayContaining([
        { id: ids[0], op: 'update' },
        { id: ids[1], op: 'delete' },
        { id: 'mine', op: 'create' },
      ]),
    );
    expect(table.query('SELECT data FROM rows WHERE id = ?', ids[0])).toEqual([{ data: '{"title": "spaced out"}' }]);
    expect(table.query(`SELECT DISTINCT actor FROM _events WHERE type = 'row.reconciled'`)).toEqual([
      { actor: 'unknown' },
    ]);
    await expectProven();
  });

  it('records what no trigger noted, and says so beforehand', async () => {
    table.tamper(
      `UPDATE rows SET data = '{"title":"quiet"}' WHERE id = '${ids[2]}'; DELETE FROM rows WHERE id = '${ids[3]}'`,
    );
    const planned = await reconcileTable(table.operated, { caller, dryRun: true });
    expect(planned).toMatchObject({
      dry_run: true,
      rows: [
        { id: ids[3], op: 'delete' },
        { id: ids[2], op: 'update' },
      ],
    });
    expect(table.database.head()).toBe(4);
    expect((await reconcileTable(table.operated, { caller })).rows).toEqual(planned.rows);
    await expectProven();
    expect((await table.restore(ids[3] ?? '', 1)).version).toBe(3);
    await expectProven();
  });

  it('forgets a note of a change that was taken back', async () => {
    const [row] = table.query('SELECT data FROM rows WHERE id = ?', ids[0]) as { data: string }[];
    table.foreign(`UPDATE rows SET data = '{}' WHERE id = '${ids[0]}'`);
    table.foreign(`UPDATE rows SET data = '${row?.data}' WHERE id = '${ids[0]}'`);
    expect((await reconcileTable(table.operated, { caller })).rows).toEqual([]);
    expect(table.query('SELECT * FROM _foreign_writes')).toEqual([]);
    await expectProven();
  });

  it('keeps the order of rows that a replay finds', async () => {
    table.foreign(`INSERT INTO rows (id, data, created_at, updated_at) VALUES ('between', '{"title":"b"}', 7, 8)`);
    await table.create({ title: 'later' });
    await reconcileTable(table.operated, { caller });
    await expectProven();
  });

  it('leaves no history in a table without', async () => {
    const off = new ScratchTable({ history: 'off' });
    const id = await off.create({ title: 'x' });
    off.foreign(`UPDATE rows SET data = '{"title":"foreign"}' WHERE id = '${id}'`);
    expect((await reconcileTable(off.operated, { caller })).rows).toEqual([{ id, op: 'update' }]);
    expect(off.query('SELECT * FROM _row_history')).toEqual([]);
    expect(await verifyTable(off.operated)).toMatchObject({ ok: true });
    await off.remove();
  });
});
