import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { reconcileTable } from '../../src/ops/reconcile-table.js';
import { parsePoint } from '../../src/ops/replay/point.js';
import { replayTo } from '../../src/ops/replay-to.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { PredecessorWrites } from '../helpers/predecessor-writes.js';
import { caller, ScratchTable } from './scratch-table.js';

const archive = { keepRecent: 3, chunkMin: 2 };
const now = 1_770_000_000;
let table: ScratchTable;
let theirs: PredecessorWrites;
let id: string;

beforeEach(async () => {
  table = new ScratchTable({ archive });
  id = await table.create({ title: 'ours' });
  theirs = new PredecessorWrites(table.path, 'notes', archive);
});

afterEach(async () => {
  theirs.close();
  await table.remove();
});

async function expectProven(operated = table.operated): Promise<void> {
  const { checks } = await verifyTable(operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

const versions = async (rowId: string) =>
  (await table.database.history.list(rowId)).map(({ version, op }) => `${version} ${op}`);

describe('changes of the predecessor in a table with a log', () => {
  it('are recorded after the history that it kept of them', async () => {
    await theirs.update(id, { title: 'theirs 1' }, now);
    await theirs.update(id, { title: 'theirs 2' }, now + 10);
    expect((await reconcileTable(table.operated, { caller })).rows).toEqual([{ id, op: 'update' }]);
    expect(await versions(id)).toEqual(['1 create', '2 update', '3 update', '4 update']);
    await expectProven();
    expect(await table.restore(id, 2)).toMatchObject({ data: { text: '{"title":"theirs 1"}' }, version: 5 });
    await expectProven();
  });

  it('do not stand in the way of the next change', async () => {
    await theirs.update(id, { title: 'theirs' }, now);
    expect(await table.update(id, { body: 'ours' })).toMatchObject({
      data: { text: '{"title":"theirs","body":"ours"}' },
      version: 4,
    });
    await expectProven();
  });

  it('are recorded when nothing is left of them but history', async () => {
    const passing = randomUUID();
    await theirs.create(passing, { title: 'passing' }, now);
    await theirs.delete(passing, now);
    const [row] = table.query('SELECT data, updated_at FROM rows') as { data: string; updated_at: number }[];
    await theirs.update(id, JSON.parse(row?.data ?? ''), row?.updated_at ?? 0);
    const planned = await reconcileTable(table.operated, { caller, dryRun: true });
    expect(planned.rows).toEqual([
      { id: passing, op: 'delete' },
      { id, op: 'update' },
    ]);
    expect((await reconcileTable(table.operated, { caller })).rows).toEqual(planned.rows);
    await expectProven();
    expect(await table.restore(passing, 1)).toMatchObject({ version: 3, created_at: now });
    expect(await table.update(id, { body: 'ours' })).toMatchObject({ version: 4 });
    await expectProven();
  });

  it('are followed through deletion and a second life', async () => {
    await theirs.delete(id, now);
    await theirs.create(id, { title: 'again' }, now + 1);
    await theirs.delete(id, now + 2);
    expect((await reconcileTable(table.operated, { caller })).rows).toEqual([{ id, op: 'delete' }]);
    await expectProven();
    expect(await table.restore(id, 3)).toMatchObject({ data: { text: '{"title":"again"}' }, version: 6 });
  });

  it('are kept by a rebuild and in a copy, archived or not, in order', async () => {
    for (let count = 0; count < 4; count++) await table.update(id, { count });
    for (let count = 0; count < 9; count++) await theirs.update(id, { title: 'theirs', count }, now + count);
    await table.update(id, { body: 'ours' });
    await theirs.update(id, { title: 'theirs again' }, now + 20);
    const born = randomUUID();
    for (let count = 0; count < 9; count++)
      await theirs[count === 0 ? 'create' : 'update'](born, { title: `${count}` }, now);
    await reconcileTable(table.operated, { caller });
    for (let count = 0; count < 4; count++) await table.update(id, { count });
    await expectProven();
    const before = [await table.database.history.list(id), await table.database.history.list(born)];
    expect(before[0]?.map(({ version }) => version)).toEqual(before[0]?.map((_, index) => index + 1));

    expect((await rebuildTable(table.operated, { caller })).replaced).toEqual([]);
    table.tamper('DELETE FROM _row_history WHERE version > 21');
    table.tamper('UPDATE rows SET updated_at = 1');
    expect((await rebuildTable(table.operated, { caller })).replaced).toHaveLength(2);
    await expectProven();
    const entries = [await table.database.history.list(id), await table.database.history.list(born)];
    expect(entries.map((list) => list.map(({ id: _, ...entry }) => entry))).toEqual(
      before.map((list) => list.map(({ id: _, ...entry }) => entry)),
    );
    const out = join(table.directory, 'copy.db');
    await replayTo(table.operated, { to: parsePoint(String(table.database.head())), out });
    await expectProven({ ...table.operated, database: { ...table.operated.database, path: out } });
  });

  it('leave versions that nothing else takes when only the rows are rebuilt', async () => {
    await theirs.update(id, { title: 'theirs' }, now);
    await rebuildTable(table.operated, { caller, projections: ['rows'] });
    expect(await table.update(id, { body: 'ours' })).toMatchObject({
      data: { text: '{"title":"ours","body":"ours"}' },
      version: 4,
    });
    await expectProven();
  });

  it('do not let a forged entry pass elsewhere', async () => {
    await theirs.update(id, { title: 'theirs' }, now);
    await reconcileTable(table.operated, { caller });
    table.tamper(`INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json)
      VALUES ('notes', '${id}', 9, 1, 'update', '{}')`);
    expect((await verifyTable(table.operated)).ok).toBe(false);
  });
});
