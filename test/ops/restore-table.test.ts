import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parsePoint } from '../../src/ops/replay/point.js';
import { restoreTable } from '../../src/ops/restore-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

let table: ScratchTable;

beforeEach(() => {
  table = new ScratchTable();
});

afterEach(() => table.remove());

const restore = (to: string, dryRun = false) => restoreTable(table.operated, { caller, to: parsePoint(to), dryRun });

describe('restore-table', () => {
  it('brings all rows back to what they were, and can be undone', async () => {
    const changed = await table.create({ title: 'changed' });
    const deleted = await table.create({ title: 'deleted' });
    await table.create({ title: 'same' });
    const then = table.contents();
    table.now += 10_000;
    await table.update(changed, { title: 'new', body: 'text' });
    await table.delete(deleted);
    await table.create({ title: 'added' });
    const now = table.contents();

    const counts = { changed: 1, returned: 1, deleted: 1 };
    expect(await restore('3', true)).toEqual({ table: 'notes', to: 3, dry_run: true, ...counts });
    expect(table.contents()).toEqual(now);
    expect(await restore('3')).toEqual({ table: 'notes', to: 3, dry_run: false, ...counts });
    expect(table.contents()).toEqual(then);
    expect(
      table.query('SELECT count(DISTINCT commit_no) AS commits, count(*) AS n FROM _events WHERE seq > 6'),
    ).toEqual([{ commits: 1, n: 3 }]);
    expect(await restore('6')).toMatchObject(counts);
    expect(table.contents()).toEqual(now);
    expect(await restore('6')).toMatchObject({ changed: 0, returned: 0, deleted: 0 });
    expect(await verifyTable(table.operated)).toMatchObject({ ok: true });
  });

  it('takes a time: the second is included', async () => {
    await table.create({ title: 'first' });
    table.now += 5000;
    await table.create({ title: 'second' });
    table.now += 5000;
    await table.create({ title: 'third' });
    expect(await restore('1760000005', true)).toMatchObject({ to: 2, deleted: 1 });
    expect(await restore(new Date(1_760_000_004_000).toISOString(), true)).toMatchObject({ to: 1, deleted: 2 });
  });

  it('refuses a point that the log cannot tell', async () => {
    await table.create({ title: 'first' });
    await expect(restore('2')).rejects.toMatchObject({ code: 'VALIDATION_ERROR', fields: { field: 'to' } });
    expect(() => parsePoint('yesterday')).toThrow(/ISO 8601/);
  });

  it('puts what somebody wrote past the log right as well', async () => {
    const id = await table.create({ title: 'first' });
    const then = table.contents();
    table.foreign(`UPDATE rows SET data = 'no json' WHERE id = '${id}'`);
    expect(await restore('1')).toMatchObject({ changed: 1 });
    expect(table.contents()).toEqual(then);
    expect(await verifyTable(table.operated)).toMatchObject({ ok: true });
    expect(await restore('2')).toMatchObject({ changed: 1 });
    expect(table.query('SELECT data FROM rows')).toEqual([{ data: 'no json' }]);
    expect(await verifyTable(table.operated)).toMatchObject({ ok: true });
  });
});
