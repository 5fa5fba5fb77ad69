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

/** A row that has so many versions of half a megabyte that its next change archives them. */
async function largeRowWithVersions(versions: number): Promise<string> {
  await table.remove();
  table = new ScratchTable({ archive: { keepRecent: 1, chunkMin: versions - 1 } });
  const id = await table.create({ title: 'version 1' });
  for (let version = 2; version <= versions; version++) await table.update(id, large(version));
  return id;
}

const large = (version: number) => ({ title: `version ${version} ${'of a long "text"\n'.repeat(32_000)}` });

it('of a large row lets the event loop go on between its entries', async () => {
  const id = await largeRowWithVersions(8);
  let turns = 0;
  let running = true;
  const turn = () => {
    turns++;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await table.update(id, large(9));
  running = false;
  expect(table.query('SELECT entry_count FROM _row_history_archive')).toEqual([{ entry_count: 8 }]);
  // One after each is read, one after each is compared with its predecessor.
  expect(turns).toBeGreaterThanOrEqual(2 * 7);
});

it('is made again when somebody removes entries while it is read', async () => {
  const id = await largeRowWithVersions(8);
  const updated = table.update(id, large(9));
  const removed = new Promise<void>((resolve) =>
    setImmediate(() =>
      setImmediate(() => {
        table.foreign('DELETE FROM _row_history WHERE version = 7');
        resolve();
      }),
    ),
  );
  await Promise.all([updated, removed]);
  expect((await table.database.history.list(id)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 8, 9]);
});
