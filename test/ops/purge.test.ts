import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { purgeHistory } from '../../src/ops/purge-history.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

const day = 86_400_000;
let table: ScratchTable;
let id: string;

beforeEach(async () => {
  table = new ScratchTable({ archive: { keepRecent: 3, chunkMin: 2 } });
  table.now -= 10 * day;
  id = await table.create({ title: 'x' });
  for (let count = 0; count < 9; count++) {
    table.now += day;
    await table.update(id, { count });
  }
});

afterEach(() => table.remove());

const versions = async () => (await table.database.history.list(id)).map((entry) => entry.version);

async function expectProven(): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

describe('purge-history', () => {
  it('leaves the archive alone unless asked', async () => {
    expect(await versions()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const options = { caller, days: 0, maxPerRow: 2 };
    expect(await purgeHistory(table.operated, { ...options, dryRun: true })).toMatchObject({
      dry_run: true,
      entries: 2,
    });
    expect(await versions()).toHaveLength(10);
    expect(await purgeHistory(table.operated, options)).toMatchObject({ entries: 2, rows: 1, archived_entries: 0 });
    expect(await versions()).toEqual([1, 2, 3, 4, 5, 6, 9, 10]);
    expect(table.query('SELECT body FROM _events ORDER BY seq DESC LIMIT 1')).toEqual([
      { body: `{"days":0,"max_per_row":2,"removed":[["${id}",7,8]]}` },
    ]);
    await expectProven();
  });

  it('reaches into the archive when asked', async () => {
    expect(await purgeHistory(table.operated, { caller, days: 5, maxPerRow: 0, archive: true })).toMatchObject({
      entries: 4,
      archived_entries: 4,
    });
    expect(await versions()).toEqual([5, 6, 7, 8, 9, 10]);
    await table.update(id, { count: 100 });
    expect(await versions()).toEqual([5, 6, 7, 8, 9, 10, 11]);
    await expectProven();
  });

  it('keeps the newest so many of both tiers', async () => {
    await purgeHistory(table.operated, { caller, days: 0, maxPerRow: 5, archive: true });
    expect(await versions()).toEqual([6, 7, 8, 9, 10]);
    expect(await purgeHistory(table.operated, { caller, days: 0, maxPerRow: 5, archive: true })).toMatchObject({
      entries: 0,
    });
    expect(table.database.head()).toBe(11);
    await expectProven();
  });

  it('wants a limit', async () => {
    await expect(purgeHistory(table.operated, { caller, days: 0, maxPerRow: 0 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
