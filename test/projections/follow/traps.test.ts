/** Two ways to use streams wrongly around a transaction: each is shown to fail, then what is done instead. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { config, Subject } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { RunningFollower } from '../../../src/projections/running-follower.js';
import { useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();
const change = { id: 'a', data: { title: 'x' } };

afterEach(() => {
  config.onUnhandledError = null;
});

describe('a projection that fails must roll the transaction back', () => {
  it('does not when it is a next handler: the error comes on a later tick', async () => {
    const late: unknown[] = [];
    config.onUnhandledError = (error) => late.push(error);
    const inside$ = new Subject<number>();
    inside$.subscribe(() => {
      throw new Error('projection failed');
    });
    expect(() => temp.log.commit([change], (seq) => inside$.next(seq))).not.toThrow();
    expect(late).toEqual([]);
    await sleep(5);
    expect(late).toHaveLength(1);
    expect(temp.log.headNow()).toBe(1);
  });

  it('does when it is a plain call made by the commit', () => {
    const project = () => {
      throw new Error('projection failed');
    };
    expect(() => temp.log.commit([change], project)).toThrow('projection failed');
    expect(temp.log.headNow()).toBe(0);
    expect(temp.log.get('a')).toBeNull();
  });
});

describe('a follower must never see events that may still be rolled back', () => {
  const rollBack = (signal: () => void) => () =>
    temp.log.commit([change], () => {
      signal();
      throw new Error('the transaction fails later');
    });

  it('sees them when the signal is sent inside the transaction', () => {
    const file = join(temp.dir, 'naive.md');
    const inside$ = new Subject<void>();
    inside$.subscribe(() => {
      for (const event of temp.log.readNow(0, 10)) writeFileSync(file, event.body);
    });
    expect(rollBack(() => inside$.next())).toThrow();
    expect(temp.log.headNow()).toBe(0);
    expect(existsSync(file)).toBe(true);
  });

  it('sees only what is committed when it follows the log', async () => {
    const seen: number[] = [];
    const running = new RunningFollower(
      temp.log,
      {
        name: 'f',
        version: 1,
        startsAt: 'origin',
        apply: async (batch) => {
          seen.push(...batch.map((event) => event.seq));
        },
      },
      { checkpoints: temp.log.checkpoints(), signals$: temp.log.committed$ },
    );
    let signalled = 0;
    temp.log.committed$.subscribe(() => signalled++);
    expect(rollBack(() => undefined)).toThrow();
    expect(signalled).toBe(0);
    await running.settled(0);
    await sleep(10);
    expect(seen).toEqual([]);
    await running.settled(temp.log.commit([change]));
    expect(signalled).toBe(1);
    expect(seen).toHaveLength(1);
    await running.close();
  });
});
