import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type InlineProjection, PrepareFirst } from '../../src/events/inline-projection.js';
import { holdLock } from '../helpers/hold-lock.js';
import { created, type OpenLog, openLog, updated } from '../helpers/open-log.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';

let directory: string;
const opened: OpenLog[] = [];

beforeEach(() => {
  directory = newDir();
});

afterEach(async () => {
  for (const open of opened.splice(0)) await open.close();
  removeDir(directory);
});

function log(options: Parameters<typeof openLog>[1] = {}): OpenLog {
  const open = openLog(directory, options);
  opened.push(open);
  return open;
}

/** What the file says: rows by id, events by number. */
function stored({ connection }: OpenLog): { rows: unknown[]; events: unknown[] } {
  return {
    rows: connection.prepare('SELECT id FROM rows ORDER BY id').pluck().all(),
    events: connection.prepare('SELECT row_id FROM _events ORDER BY seq').pluck().all(),
  };
}

const create = (open: OpenLog, id: string) => open.run((tx) => tx.append(created(id)).seq);
const settle = (promises: readonly Promise<unknown>[]) =>
  Promise.allSettled(promises).then((results) =>
    results.map((result) => (result.status === 'fulfilled' ? 'ok' : String(result.reason.message))),
  );

function failing(open: OpenLog, { afterWriting }: { afterWriting: boolean }): Promise<unknown> {
  return open.run((tx) => {
    if (afterWriting) tx.append(created('never'));
    throw new Error('refused');
  });
}

describe('a job that fails', () => {
  test.each([false, true])('takes nobody of its commit with it (it has written: %s)', async (afterWriting) => {
    const open = log();
    const ended = await settle([create(open, 'a'), failing(open, { afterWriting }), create(open, 'b')]);
    expect(ended).toEqual(['ok', 'refused', 'ok']);
    expect(stored(open)).toEqual({ rows: ['a', 'b'], events: ['a', 'b'] });
  });

  test('does so in numbers too, and the numbers of events have no gap', async () => {
    const open = log();
    const jobs = Array.from({ length: 60 }, (_, at) =>
      at % 3 === 1 ? failing(open, { afterWriting: at % 2 === 0 }) : create(open, `row ${at}`),
    );
    const ended = await settle(jobs);
    expect(ended.filter((end) => end === 'ok')).toHaveLength(40);
    expect(open.connection.prepare('SELECT max(seq), count(*) FROM _events').raw().get()).toEqual([40, 40]);
  });
});

describe('savepoints', () => {
  /** Every statement that SQLite ran, as its profiler tells. */
  function watched(): { open: OpenLog; statements: string[] } {
    const statements: string[] = [];
    const open = log({
      beside: (connection) => {
        const counter: InlineProjection = {
          apply: () => {
            const outer = connection.prepare('SELECT 1 WHERE 0').all();
            statements.push(String(outer.length));
          },
        };
        return [counter];
      },
    });
    return { open, statements };
  }

  test('are not needed while all goes well: each job runs once', async () => {
    const { open, statements } = watched();
    await settle(Array.from({ length: 20 }, (_, at) => create(open, `row ${at}`)));
    expect(statements).toHaveLength(20);
    expect(open.connection.prepare('SELECT DISTINCT commit_no FROM _events').pluck().all()).toEqual([1]);
  });

  test('keep the jobs apart after a late failure, which makes every job of the commit run once more', async () => {
    const { open, statements } = watched();
    await settle([
      create(open, 'a'),
      failing(open, { afterWriting: true }),
      failing(open, { afterWriting: true }),
      create(open, 'b'),
    ]);
    // First run: a, never. With savepoints: a, never, never, b.
    expect(statements).toHaveLength(6);
    expect(stored(open)).toEqual({ rows: ['a', 'b'], events: ['a', 'b'] });
    await create(open, 'c');
    expect(statements).toHaveLength(7);
  });
});

describe('a projection that has to prepare first', () => {
  /** Asks for preparation at the first event of each id that starts with `slow`. */
  function slowly(prepare: (id: string) => Promise<void>): OpenLog {
    const ready = new Set<string>();
    return log({
      beside: () => [
        {
          apply: ({ event }) => {
            const id = event.rowId ?? '';
            if (!id.startsWith('slow') || ready.has(id)) return;
            throw new PrepareFirst(async () => {
              await prepare(id);
              ready.add(id);
            });
          },
        },
      ],
    });
  }

  test('and cannot fails its own job only', async () => {
    const open = slowly(() => Promise.reject(new Error('no memory')));
    const ended = await settle([create(open, 'a'), create(open, 'slow'), create(open, 'b')]);
    expect(ended).toEqual(['ok', 'no memory', 'ok']);
    expect(stored(open)).toEqual({ rows: ['a', 'b'], events: ['a', 'b'] });
  });

  test('and asks without end is given up', async () => {
    let asked = 0;
    const open = log({
      beside: () => [
        {
          apply: ({ event }) => {
            if (event.rowId === 'never') throw new PrepareFirst(async () => void asked++);
          },
        },
      ],
    });
    expect(await settle([create(open, 'a'), create(open, 'never'), create(open, 'b')])).toEqual([
      'ok',
      'preparation needed',
      'ok',
    ]);
    expect(asked).toBeLessThan(20);
    expect(stored(open).rows).toEqual(['a', 'b']);
  });

  test('keeps the order in which the jobs came, those that come meanwhile included', async () => {
    const open = slowly(() => delay(20));
    const first = ['a', 'slow 1', 'b', 'slow 2', 'c'].map((id) => create(open, id));
    await delay(10);
    const later = ['d', 'slow 3', 'e'].map((id) => create(open, id));
    await Promise.all([...first, ...later]);
    expect(stored(open).events).toEqual(['a', 'slow 1', 'b', 'slow 2', 'c', 'd', 'slow 3', 'e']);
  });
});

describe('BUSY', () => {
  test('is the answer when the queue is full; who is in it is served', async () => {
    const open = log({ limits: { queue: 3, batch: 2, busy: 5000 } });
    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => create(open, id)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(results[3]).toMatchObject({ reason: { code: 'BUSY', retryable: true, fields: { retry_after_ms: 200 } } });
    await create(open, 'd');
    expect(stored(open).events).toEqual(['a', 'b', 'c', 'd']);
  });

  test('is the answer when another process keeps the lock; meanwhile this one goes on', async () => {
    const open = log({ limits: { queue: 10, batch: 10, busy: 300 } });
    const letGo = await holdLock(join(directory, 'table.db'));
    const loop = monitorEventLoopDelay({ resolution: 5 });
    loop.enable();
    const started = performance.now();
    await expect(create(open, 'a')).rejects.toMatchObject({ code: 'BUSY' });
    loop.disable();
    expect(performance.now() - started).toBeGreaterThan(250);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(loop.percentile(90) / 1e6).toBeLessThan(100);
    const waiting = create(open, 'b');
    await letGo();
    await waiting;
    expect(stored(open)).toEqual({ rows: ['b'], events: ['b'] });
  });
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/bin/mount');

describe.skipIf(!canMount)('a full disk (needs root to mount a small one)', () => {
  test('fails what did not fit and nothing else', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory]);
    try {
      await fillDisk(log());
      for (const open of opened.splice(0)) await open.close();
    } finally {
      execFileSync('umount', ['-l', directory]);
    }
  });

  async function fillDisk(open: OpenLog): Promise<void> {
    await create(open, 'small');
    const big = 'x'.repeat(400_000);
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) => open.run((tx) => tx.append(created(`big ${at}`, { big })))),
    );
    const failed = results.filter(({ status }) => status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    for (const failure of failed) {
      expect(failure).toMatchObject({ reason: { code: 'STORAGE_ERROR', fields: { detail: 'the disk is full' } } });
    }
    const { rows, events } = stored(open);
    expect(rows).toHaveLength(1 + results.length - failed.length);
    expect([...events].sort()).toEqual([...rows].sort());
    await open.run((tx) => tx.append(updated('small', { a: 1 })));
    expect(open.connection.pragma('integrity_check', { simple: true })).toBe('ok');
  }
});
