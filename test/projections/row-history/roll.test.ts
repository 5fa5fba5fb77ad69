import { afterEach, beforeEach, expect, it } from 'vitest';
import { parsePoint } from '../../../src/ops/replay/point.js';
import { restoreTable } from '../../../src/ops/restore-table.js';
import { verifyTable } from '../../../src/ops/verify-table.js';
import { caller, ScratchTable } from '../../ops/scratch-table.js';

let table: ScratchTable;

beforeEach(() => {
  table = new ScratchTable({ archive: { keepRecent: 1, chunkMin: 1 } });
});

afterEach(() => table.remove());

it('one command may change many rows whose history is due', async () => {
  const ids: string[] = [];
  for (let row = 0; row < 40; row++) ids.push(await table.create({ title: `row ${row}` }));
  for (const id of ids) await table.update(id, { count: 1 });
  await restoreTable(table.operated, { caller, to: parsePoint('40') });
  expect(table.query('SELECT count(*) AS chunks FROM _row_history_archive')).toEqual([{ chunks: 40 }]);
  expect((await table.database.history.list(ids[39] ?? '')).map((entry) => entry.version)).toEqual([1, 2, 3]);
  for (const id of ids) await table.update(id, { count: 2 });
  expect(await verifyTable(table.operated)).toMatchObject({ ok: true });
});
