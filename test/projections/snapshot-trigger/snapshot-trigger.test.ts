import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { RunningFollower } from '../../../src/projections/running-follower.js';
import { backupDatabase, backupPair } from '../../../src/projections/snapshot-trigger/online-backup.js';
import { purgeGenerations } from '../../../src/projections/snapshot-trigger/retention.js';
import { snapshotTrigger } from '../../../src/projections/snapshot-trigger/snapshot-trigger.js';
import { useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();
const target = () => join(temp.dir, '_snapshots');
const commitRows = (count: number) => {
  for (let n = 0; n < count; n++) temp.log.commit([{ id: `r${n}`, data: { n } }]);
  return temp.log.headNow();
};

function countRows(path: string): unknown {
  const database = new Sqlite(path, { readonly: true });
  const counted = database.prepare('SELECT count(*) FROM rows').pluck().get();
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
  return counted;
}

describe('the trigger', () => {
  it('fires once per mark passed, not for the past, and not again after a restart', async () => {
    commitRows(25);
    const taken: number[] = [];
    const start = () =>
      new RunningFollower(temp.log, snapshotTrigger({ every: 10, take: async (seq) => void taken.push(seq) }), {
        checkpoints: temp.log.checkpoints(),
        signals$: temp.log.committed$,
      });
    const running = start();
    await running.settled(25);
    for (let n = 0; n < 10; n++) await running.settled(commitRows(1));
    expect(taken).toEqual([30]);
    await running.close();
    const again = start();
    await again.settled(commitRows(4));
    expect(taken).toEqual([30]);
    await again.settled(commitRows(2));
    expect(taken).toHaveLength(2);
    await again.close();
  });
});

describe('the online backup', () => {
  it('copies the database under the next free second and leaves nothing else behind', async () => {
    commitRows(5);
    const first = await backupDatabase(temp.log.path, target(), 'issues', 100);
    const second = await backupDatabase(temp.log.path, target(), 'issues', 100);
    expect([first.unixSecs, second.unixSecs]).toEqual([100, 101]);
    expect(readdirSync(target()).sort()).toEqual(['issues.100.db', 'issues.101.db']);
    expect(countRows(first.databasePath)).toBe(5);
  });

  it('gives simultaneous ones different names', async () => {
    commitRows(1);
    const all = await Promise.all([1, 2, 3, 4].map(() => backupDatabase(temp.log.path, target(), 'issues', 100)));
    expect(all.map((one) => one.unixSecs).sort()).toEqual([100, 101, 102, 103]);
  });

  it('ends, with one state, while somebody writes', async () => {
    const big = 'x'.repeat(100_000);
    for (let n = 0; n < 200; n++) temp.log.commit([{ id: `r${n}`, data: { big } }]);
    let done = false;
    const writing = (async () => {
      for (let n = 200; !done; n++) {
        temp.log.commit([{ id: `r${n}`, data: { n } }]);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const { databasePath } = await backupDatabase(temp.log.path, target(), 'issues', 100);
    done = true;
    await writing;
    expect(Number(countRows(databasePath))).toBeGreaterThanOrEqual(200);
    expect(temp.log.database.prepare('SELECT count(*) FROM rows').pluck().get()).toBeGreaterThan(200);
  });

  it('refuses a source that is not there and creates no file', async () => {
    await expect(backupDatabase(join(temp.dir, 'no.db'), target(), 'issues', 100)).rejects.toThrow();
    expect(existsSync(join(temp.dir, 'no.db'))).toBe(false);
    expect(readdirSync(target())).toEqual([]);
  });

  it('makes pairs that share a second which is free for both', async () => {
    const schemaPath = join(temp.dir, 'schema.yaml');
    writeFileSync(schemaPath, 'table: issues\n');
    mkdirSync(target());
    writeFileSync(join(target(), 'issues.100.db'), 'kept');
    writeFileSync(join(target(), 'issues.101.yaml'), 'kept');
    const source = { schemaPath, databasePath: temp.log.path };
    expect((await backupPair(source, target(), 'issues', 100)).unixSecs).toBe(102);
    expect(readdirSync(target()).sort()).toEqual([
      'issues.100.db',
      'issues.101.yaml',
      'issues.102.db',
      'issues.102.yaml',
    ]);
    expect(readFileSync(join(target(), 'issues.100.db'), 'utf8')).toBe('kept');
    expect(readFileSync(join(target(), 'issues.102.yaml'), 'utf8')).toBe('table: issues\n');
  });
});

describe('retention', () => {
  const touch = (...names: string[]) => {
    mkdirSync(target(), { recursive: true });
    for (const name of names) writeFileSync(join(target(), name), '');
  };

  it('keeps the newest by number and touches no other name', async () => {
    const others = [
      'issues.x.db',
      'issues.db',
      'issues.1.yaml',
      'issues.2.1.db',
      'issue.1.db',
      'issues.01.db',
      'issues.99999999999999999999.db',
    ];
    touch('issues.9.db', 'issues.100.db', 'issues.20.db', 'issues.18446744073709551615.db', ...others);
    expect(await purgeGenerations(target(), 'issues', ['db'], 2)).toEqual({ removed: 2, failures: [] });
    expect(readdirSync(target()).sort()).toEqual([...others, 'issues.100.db', 'issues.18446744073709551615.db'].sort());
  });

  it('removes both files of a backup and never a lone .db', async () => {
    touch('t.1.yaml', 't.1.db', 't.2.yaml', 't.3.yaml', 't.3.db', 't.0.db');
    expect((await purgeGenerations(target(), 't', ['yaml', 'db'], 1)).removed).toBe(2);
    expect(readdirSync(target()).sort()).toEqual(['t.0.db', 't.3.db', 't.3.yaml']);
  });

  it('keeps at least one, and does not create a missing directory', async () => {
    touch('t.1.db');
    await purgeGenerations(target(), 't', ['db'], 0);
    expect(readdirSync(target())).toEqual(['t.1.db']);
    expect((await purgeGenerations(join(temp.dir, 'none'), 't', ['db'], 1)).removed).toBe(0);
    expect(existsSync(join(temp.dir, 'none'))).toBe(false);
  });

  it('reports what it cannot remove and removes the rest', async () => {
    touch('t.1.db', 't.3.db');
    mkdirSync(join(target(), 't.2.db'));
    const purged = await purgeGenerations(target(), 't', ['db'], 1);
    expect(purged.removed).toBe(1);
    expect(purged.failures).toHaveLength(1);
  });
});
