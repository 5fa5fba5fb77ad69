import { setTimeout as sleep } from 'node:timers/promises';
import { NEVER, Subject, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/events/types.js';
import type { BackOff } from '../../../src/projections/back-off.js';
import type { FollowOptions } from '../../../src/projections/follow.js';
import type { ApplyContext, Follower } from '../../../src/projections/projection.js';
import { RunningFollower } from '../../../src/projections/running-follower.js';
import { eventually, useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();
const quick: BackOff = { firstMs: 5, maxMs: 20, parkAfter: 3, parkedMs: 50 };

type Apply = (batch: readonly StoredEvent[], context: ApplyContext) => Promise<void>;

function recorder(apply: Apply = async () => undefined): Follower & { readonly seen: number[] } {
  const seen: number[] = [];
  return {
    name: 'recorder',
    version: 1,
    startsAt: 'origin',
    seen,
    async apply(batch, context) {
      await apply(batch, context);
      seen.push(...batch.map((event) => event.seq));
    },
  };
}

function start(follower: Follower, options: Partial<FollowOptions> = {}): RunningFollower {
  const checkpoints = temp.log.checkpoints();
  return new RunningFollower(temp.log, follower, {
    checkpoints,
    signals$: temp.log.committed$,
    backOff: quick,
    ...options,
  });
}

function commitRows(count: number): number {
  for (let n = 0; n < count; n++) temp.log.commit([{ id: `r${n}`, data: { n } }]);
  return temp.log.headNow();
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('follow', () => {
  it('catches up first, then follows, each event once and in order', async () => {
    commitRows(5);
    const follower = recorder();
    const running = start(follower, { batchSize: 2 });
    await running.settled(5);
    expect(follower.seen).toEqual(upTo(5));
    await running.settled(commitRows(7));
    expect(follower.seen).toEqual(upTo(12));
    expect(running.status(12)).toEqual({ name: 'recorder', position: 12, lag: 0, state: 'live', lastError: null });
    await running.close();
  });

  it('goes on after a restart where it stopped', async () => {
    const first = start(recorder());
    await first.settled(commitRows(3));
    await first.close();
    commitRows(2);
    const again = recorder();
    const second = start(again);
    await second.settled(5);
    expect(again.seen).toEqual([4, 5]);
    await second.close();
  });

  it('begins at the head when the follower asks for it', async () => {
    commitRows(3);
    const follower = { ...recorder(), startsAt: 'head' as const };
    const running = start(follower);
    await running.settled(3);
    await running.settled(commitRows(1));
    expect(follower.seen).toEqual([4]);
    await running.close();
  });

  it('writes nothing for signals without events, however many come', async () => {
    const signals$ = new Subject<void>();
    const follower = recorder();
    const running = start(follower, { signals$ });
    commitRows(2);
    signals$.next();
    const owner = temp.log.database.prepare('SELECT owner FROM _checkpoints').pluck();
    await eventually(() => follower.seen.length === 2 && owner.get() === null);
    const before = temp.log.database.pragma('data_version', { simple: true });
    for (let n = 0; n < 1_000; n++) signals$.next();
    await sleep(30);
    expect(temp.log.database.pragma('data_version', { simple: true })).toBe(before);
    expect(follower.seen).toEqual([1, 2]);
    await running.close();
  });

  it('ends at the head, not at a gap', async () => {
    commitRows(20);
    temp.log.database.exec('DROP TRIGGER _events_refuse_delete; DELETE FROM _events WHERE seq BETWEEN 3 AND 18');
    const follower = recorder();
    const running = start(follower, { batchSize: 2 });
    await running.settled(20);
    expect(follower.seen).toEqual([1, 2, 19, 20]);
    await running.close();
  });

  it('retries a failure at the same position, visibly, and recovers', async () => {
    let failures = 2;
    const follower = recorder(async () => {
      if (failures-- > 0) throw new Error('/secret/path');
    });
    const reported: unknown[] = [];
    const running = start(follower, { report: (_name, error) => reported.push(error) });
    const head = commitRows(3);
    await eventually(() => running.status(head).state === 'retrying');
    expect(running.status(head)).toMatchObject({ position: 0, lag: head, lastError: 'INTERNAL: Error' });
    await running.settled(head);
    expect(follower.seen).toEqual(upTo(3));
    expect(running.status(head)).toMatchObject({ state: 'live', lastError: null });
    expect(reported).toHaveLength(2);
    await running.close();
  });

  it('parks after many failures, does not make callers wait, is tried again, and leaves others alone', async () => {
    let broken = true;
    const follower = recorder(async () => {
      if (broken) throw new Error('no');
    });
    const other = { ...recorder(), name: 'other' };
    const running = start(follower);
    const fine = start(other);
    const head = commitRows(1);
    await eventually(() => running.status(head).state === 'parked');
    const asked = Date.now();
    await running.settled(head);
    expect(Date.now() - asked).toBeLessThan(200);
    await fine.settled(head);
    expect(other.seen).toEqual([1]);
    broken = false;
    await eventually(() => running.status(head).state === 'live');
    expect(follower.seen).toEqual([1]);
    await Promise.all([running.close(), fine.close()]);
  });

  it('makes one caller wait in vain, not the next ones too', async () => {
    let broken = true;
    const follower = recorder(async () => {
      if (broken) throw new Error('no');
    });
    const running = start(follower, { backOff: { firstMs: 300, maxMs: 300, parkAfter: 100, parkedMs: 300 } });
    await running.settled(0);
    const wait = async (timeoutMs: number) => {
      const asked = Date.now();
      await running.settled(commitRows(1), timeoutMs);
      return Date.now() - asked;
    };
    expect(await wait(500)).toBeGreaterThan(450);
    expect(await wait(5_000)).toBeLessThan(200);
    expect(running.status(2)).toMatchObject({ state: 'retrying', lag: 2, lastError: expect.any(String) });
    broken = false;
    await eventually(() => running.status(2).state === 'live');
    expect(follower.seen).toEqual([1, 2]);
    await wait(5_000);
    expect(follower.seen).toEqual([1, 2, 3]);
    await running.close();
  });

  it('survives a source of signals that fails', async () => {
    const follower = recorder();
    commitRows(1);
    const running = start(follower, { signals$: throwError(() => new Error('no signals')) });
    await running.settled(1);
    expect(follower.seen).toEqual([1]);
    await running.close();
  });

  it('does not run events of another version and says so', async () => {
    const follower = recorder();
    const running = start(follower);
    await running.settled(0);
    await temp.log.checkpoints().register('recorder', 2, 0);
    const head = commitRows(1);
    await eventually(() => running.status(head).state === 'parked');
    expect(running.status(head).lastError).toContain('another version');
    expect(follower.seen).toEqual([]);
    await running.close();
  });

  it('gives the lease back when closed in the middle, at the position it reached', async () => {
    commitRows(10);
    const follower = recorder(async () => sleep(20));
    const running = start(follower, { batchSize: 1, signals$: NEVER });
    await eventually(() => follower.seen.length >= 2);
    await running.close();
    const row = temp.log.database.prepare('SELECT owner, position FROM _checkpoints').get();
    expect(row).toEqual({ owner: null, position: follower.seen.length });
    expect(follower.seen.length).toBeLessThan(10);
  });

  it('lets two processes share one checkpoint: every event once, in order', async () => {
    const order: number[] = [];
    const slow: Apply = async (batch) => {
      await sleep(2);
      order.push(...batch.map((event) => event.seq));
    };
    const a = start(recorder(slow), { batchSize: 3 });
    const b = start(recorder(slow), { batchSize: 3 });
    const head = commitRows(40);
    await Promise.all([a.settled(head), b.settled(head)]);
    expect(order).toEqual(upTo(head));
    await Promise.all([a.close(), b.close()]);
  });

  it('takes over at once from a process that was killed', async () => {
    const { hostname } = await import('node:os');
    const dead = temp.log.checkpoints({ owner: `${hostname()}:99999999:aa` });
    await dead.register('recorder', 1, 0);
    commitRows(2);
    await dead.acquire('recorder', 1);
    const follower = recorder();
    const running = start(follower);
    await running.settled(2, 1_000);
    expect(follower.seen).toEqual([1, 2]);
    await running.close();
  });
});
