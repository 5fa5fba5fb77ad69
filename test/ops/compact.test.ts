import { randomInt } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { compactTable } from '../../src/ops/compact-table.js';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { parsePoint } from '../../src/ops/replay/point.js';
import { restoreTable } from '../../src/ops/restore-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

let table: ScratchTable;

afterEach(() => table.remove());

async function expectProven(): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

describe('the log of a table without history', () => {
  async function filled(): Promise<string> {
    table = new ScratchTable({ history: 'off' });
    const id = await table.create({ title: 'kept' });
    const gone = await table.create({ title: 'gone' });
    for (let count = 0; count < 5; count++) await table.update(id, { count });
    await table.delete(gone);
    return id;
  }

  it('keeps the last event of each row and stays provable', async () => {
    const id = await filled();
    const contents = table.contents();
    expect(await compactTable(table.operated, { caller })).toMatchObject({ events_removed: 6 });
    expect(table.query('SELECT seq, type FROM _events ORDER BY seq')).toEqual([
      { seq: 7, type: 'row.updated' },
      { seq: 8, type: 'row.deleted' },
      { seq: 9, type: 'log.compacted' },
    ]);
    expect(table.contents()).toEqual(contents);
    await expectProven();
    await table.update(id, { count: 9 });
    await table.create({ title: 'new' });
    expect(await compactTable(table.operated, { caller })).toMatchObject({ events_removed: 1 });
    await expectProven();
    table.tamper(`UPDATE rows SET updated_at = 1`);
    await rebuildTable(table.operated, { caller });
    await expectProven();
    expect(() => table.foreign('DELETE FROM _events')).toThrow(/append-only/);
  });

  it('shows what was removed from it afterwards', async () => {
    await filled();
    await compactTable(table.operated, { caller });
    table.tamper('DELETE FROM _events WHERE seq = 7');
    const { checks } = await verifyTable(table.operated);
    const failed = Object.fromEntries(
      checks.filter((check) => !check.ok).map((check) => [check.name, check.first_difference]),
    );
    expect(failed.sequence).toBe('event 7 is missing');
  });

  it('shows a kept event that was forged', async () => {
    await filled();
    await compactTable(table.operated, { caller });
    table.tamper(`UPDATE _events SET hash = zeroblob(32) WHERE seq = 7`);
    expect((await verifyTable(table.operated)).checks.find((check) => check.name === 'chain')?.ok).toBe(false);
  });

  it('cannot tell the states before the cut', async () => {
    await filled();
    await compactTable(table.operated, { caller });
    await expect(restoreTable(table.operated, { caller, to: parsePoint('3') })).rejects.toThrow(/compacted/);
  });

  it('is kept whole where there is history', async () => {
    table = new ScratchTable();
    const id = await table.create({ title: 'kept' });
    await table.update(id, { count: 1 });
    expect(await compactTable(table.operated, { caller })).toMatchObject({ events_removed: 0 });
    expect(table.database.head()).toBe(2);
  });
});

const words = Array.from({ length: 4000 }, () =>
  Math.random()
    .toString(36)
    .slice(2, 2 + randomInt(3, 9)),
);

function text(length: number): string {
  let result = '';
  while (result.length < length) result += `${words[randomInt(words.length)]}${randomInt(12) === 0 ? '.\n' : ' '}`;
  return result;
}

describe('the archive of large rows', () => {
  it('is tidied, merged, and reads as before', async () => {
    table = new ScratchTable({ archive: { keepRecent: 3, chunkMin: 2 } });
    let body = text(100_000);
    const id = await table.create({ title: 'large', body });
    for (let count = 0; count < 20; count++) {
      const at = randomInt(body.length);
      body = `${body.slice(0, at)}${text(50)}${body.slice(at)}`;
      await table.update(id, { body });
    }
    await table.update(id, { body: text(600_000) });
    const history = async () => (await table.database.history.list(id)).map(({ id: _, ...entry }) => entry);
    const before = await history();
    const result = await compactTable(table.operated, { caller });
    expect(result).toMatchObject({ archive: { rows: 1, chunks_after: 1 } });
    expect(result.bytes_after).toBeLessThan(result.bytes_before);
    expect(table.query('SELECT version FROM _row_history ORDER BY 1')).toEqual([{ version: 21 }, { version: 22 }]);
    expect(await history()).toEqual(before);
    await expectProven();
    table.tamper(`UPDATE _row_history SET op = 'delete'`);
    await rebuildTable(table.operated, { caller });
    expect(await history()).toEqual(before);
    await table.update(id, { title: 'on' });
    await expectProven();
  });
});
