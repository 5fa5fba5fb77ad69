import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

let table: ScratchTable;
let first: string;

beforeEach(async () => {
  table = new ScratchTable({ archive: { keepRecent: 3, chunkMin: 2 } });
  first = await table.create({ title: 'first', body: 'x' });
  for (let count = 0; count < 20; count++) await table.update(first, { count });
  for (let count = 0; count < 5; count++) await table.create({ title: `row ${count}` });
});

afterEach(() => table.remove());

const rebuild = (signal?: AbortSignal) => rebuildTable(table.operated, { caller, signal });

const objects = () =>
  table.query(`SELECT name, type FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name`);

async function expectProven(): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

describe('rebuild', () => {
  it('replaces nothing and appends nothing when all is equal', async () => {
    const before = objects();
    expect(await rebuild()).toMatchObject({ replaced: [], resumed_at: 0, events: 26 });
    expect(table.database.head()).toBe(26);
    expect(objects()).toEqual(before);
    expect(table.query('SELECT * FROM _checkpoints')).toEqual([]);
    await expectProven();
  });

  it('succeeds without any event', async () => {
    const empty = new ScratchTable();
    expect(await rebuildTable(empty.operated, { caller })).toMatchObject({ events: 0, replaced: [] });
    await empty.remove();
  });

  it('discards what somebody wrote, and names the rows', async () => {
    const before = objects();
    const contents = table.contents();
    table.foreign(`UPDATE rows SET data = '{"title":"foreign"}' WHERE id = '${first}'`);
    table.foreign(`INSERT INTO rows (id, data, created_at, updated_at) VALUES ('extra', '{}', 1, 1)`);
    table.foreign(`DELETE FROM rows WHERE data LIKE '%row 3%'`);
    const { replaced } = await rebuild();
    expect(replaced).toMatchObject([{ projection: 'rows', differences: 3 }]);
    expect(replaced[0]?.discarded).toContain('extra');
    expect(table.contents()).toEqual(contents);
    expect(objects()).toEqual(before);
    expect(table.query('SELECT * FROM _foreign_writes')).toEqual([]);
    expect(table.query('SELECT type, actor FROM _events ORDER BY seq DESC LIMIT 1')).toEqual([
      { type: 'projection.rebuilt', actor: 'tester' },
    ]);
    await table.update(first, { count: 99 });
    await expectProven();
    table.foreign(`DELETE FROM rows WHERE id = '${first}'`);
    expect(table.query('SELECT row_id FROM _foreign_writes')).toEqual([{ row_id: first }]);
  });

  it('makes a damaged history anew', async () => {
    table.tamper(`UPDATE _row_history_archive SET blob = x'00' WHERE version_start = 1;
      DELETE FROM _row_history WHERE version = 21`);
    const { replaced } = await rebuild();
    expect(replaced).toEqual([{ projection: 'row-history', differences: 4, discarded: [first] }]);
    expect((await table.database.history.list(first)).map((entry) => entry.version)).toHaveLength(21);
    await expectProven();
    await table.update(first, { count: 100 });
    await expectProven();
  });

  it('cuts chunks where the roll after each change cuts them', async () => {
    const cuts = () => table.query('SELECT row_id, version_start, version_end FROM _row_history_archive ORDER BY 1, 2');
    const before = cuts();
    table.tamper(`UPDATE _row_history SET op = 'delete'`);
    await rebuild();
    expect(cuts()).toEqual(before);
  });

  it('stops at an event that it does not know, with everything as it was', async () => {
    table.tamper(`UPDATE _events SET type = 'row.folded' WHERE seq = 24; UPDATE rows SET updated_at = 1`);
    await expect(rebuild()).rejects.toMatchObject({ code: 'UNKNOWN_EVENT', fields: { seq: 24 } });
    expect(table.query('SELECT DISTINCT updated_at FROM rows')).toEqual([{ updated_at: 1 }]);
  });

  it('goes on where it was stopped', async () => {
    for (let round = 0; round < 30; round++) {
      await Promise.all(Array.from({ length: 100 }, (_, count) => table.create({ title: `${round}/${count}` })));
    }
    table.tamper(`UPDATE rows SET updated_at = 1 WHERE id = '${first}'`);
    const stop = new AbortController();
    const stopped = rebuildTable(table.operated, {
      caller,
      signal: stop.signal,
      onProgress: ({ done }) => done >= 1000 && stop.abort(new Error('stopped')),
    });
    await expect(stopped).rejects.toThrow('stopped');
    await table.create({ title: 'meanwhile' });
    const resumed = await rebuild();
    expect(resumed.resumed_at).toBeGreaterThanOrEqual(1000);
    expect(resumed.replaced).toMatchObject([{ projection: 'rows', discarded: [first] }]);
    await expectProven();
  });

  it('goes on after a process that was killed, and is refused while one lives', async () => {
    table.tamper(`UPDATE rows SET updated_at = 1 WHERE id = '${first}'`);
    const lease = (owner: string) =>
      table.foreign(`INSERT OR REPLACE INTO _checkpoints (name, version, position, owner, lease_until, updated_at)
        VALUES ('rebuild', 1, 7, '${owner}', ${table.now + 60_000}, 0)`);
    lease('elsewhere:1:aa');
    await expect(rebuild()).rejects.toMatchObject({ code: 'BUSY' });
    // A lease without its shadow tables is no use: the rebuild begins anew.
    table.foreign(`UPDATE _checkpoints SET lease_until = 0`);
    expect(await rebuild()).toMatchObject({ resumed_at: 0, replaced: [{ projection: 'rows' }] });
    await expectProven();
  });

  it('keeps what was purged away', async () => {
    const { purgeHistory } = await import('../../src/ops/purge-history.js');
    await purgeHistory(table.operated, { caller, days: 0, maxPerRow: 2, archive: true });
    table.tamper('DELETE FROM _row_history WHERE version = 21');
    expect((await rebuild()).replaced).toMatchObject([{ projection: 'row-history', differences: 1 }]);
    expect((await table.database.history.list(first)).map((entry) => entry.version)).toEqual([20, 21]);
    await expectProven();
  });
});

describe('a second process', () => {
  let child: ChildProcess;

  beforeEach(async () => {
    const script = fileURLToPath(new URL('./write-rows.ts', import.meta.url));
    child = spawn(process.execPath, ['--import', 'tsx', script, table.path], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (child.stdout !== null) await once(child.stdout, 'data');
  });

  afterEach(() => {
    child.kill();
  });

  it('goes on writing and reading before, during and after the swap', async () => {
    for (let round = 0; round < 3; round++) {
      table.tamper(`UPDATE rows SET updated_at = ${round} WHERE id = '${first}';
        DELETE FROM _row_history WHERE row_id = '${first}' AND version = 21`);
      const { replaced } = await rebuild();
      expect(replaced.map((one) => one.projection)).toEqual(['rows', 'row-history']);
    }
    child.stdin?.end();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(table.query('SELECT count(*) AS n FROM rows')).not.toEqual([{ n: 6 }]);
    await expectProven();
  }, 30_000);
});
