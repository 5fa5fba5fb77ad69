import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../../../src/projections/checkpoints/checkpoints.js';
import { useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();
/** No process has this pid: it is above the largest that Linux gives. */
const deadOwner = `${hostname()}:99999999:aa`;

describe('checkpoints', () => {
  it('refuses to move, renew or assert what was never acquired', async () => {
    const checkpoints = temp.log.checkpoints();
    await expect(checkpoints.advance('f', 0, 1)).rejects.toBeInstanceOf(LeaseLost);
    await expect(checkpoints.renew('f')).rejects.toBeInstanceOf(LeaseLost);
    expect(() => checkpoints.assertLeased('f')).toThrow(LeaseLost);
    expect(await checkpoints.acquire('f', 1)).toBeNull();
    expect(checkpoints.read('f')).toBeNull();
  });

  it('registers once and starts over for another version', async () => {
    const checkpoints = temp.log.checkpoints();
    await checkpoints.register('f', 1, 0);
    await checkpoints.acquire('f', 1);
    await checkpoints.advance('f', 0, 7);
    await checkpoints.register('f', 1, 0);
    expect(checkpoints.read('f')?.position).toBe(7);
    await checkpoints.register('f', 2, 3);
    expect(checkpoints.read('f')).toMatchObject({ version: 2, position: 3, failures: 0 });
    await expect(checkpoints.advance('f', 7, 8)).rejects.toBeInstanceOf(LeaseLost);
  });

  it('gives the lease to one owner, and to the next after release or expiry', async () => {
    let now = 1_000_000;
    const clock = { now: () => now, leaseMs: 1_000 };
    const a = temp.log.checkpoints(clock);
    const b = temp.log.checkpoints(clock);
    await a.register('f', 1, 0);
    expect(await a.acquire('f', 1)).toBe(0);
    expect(await b.acquire('f', 1)).toBeNull();
    await a.release('f');
    expect(await b.acquire('f', 1)).toBe(0);
    now += 900;
    await b.renew('f');
    now += 900;
    expect(await a.acquire('f', 1)).toBeNull();
    now += 200;
    expect(() => b.assertLeased('f')).toThrow(LeaseLost);
    expect(await a.acquire('f', 1)).toBe(0);
    await a.advance('f', 0, 5);
    await expect(b.advance('f', 0, 4)).rejects.toBeInstanceOf(LeaseLost);
    await b.release('f');
    expect(() => a.assertLeased('f')).not.toThrow();
  });

  it('moves from the expected position only', async () => {
    const checkpoints = temp.log.checkpoints();
    await checkpoints.register('f', 1, 0);
    await checkpoints.acquire('f', 1);
    await expect(checkpoints.advance('f', 1, 2)).rejects.toBeInstanceOf(LeaseLost);
    expect(checkpoints.read('f')?.position).toBe(0);
  });

  it('takes the lease of a dead process at once, and of a clock that was set back', async () => {
    let now = 1_000_000_000;
    const dead = temp.log.checkpoints({ owner: deadOwner, now: () => now });
    const next = temp.log.checkpoints({ now: () => now });
    await dead.register('f', 1, 0);
    await dead.acquire('f', 1);
    expect(await next.acquire('f', 1)).toBe(0);
    now -= 500_000_000;
    expect(await temp.log.checkpoints({ now: () => now }).acquire('f', 1)).toBe(0);
  });

  it('does not take the lease of a process on another host before it ends', async () => {
    const other = temp.log.checkpoints({ owner: 'elsewhere:99999999:aa' });
    await other.register('f', 1, 0);
    await other.acquire('f', 1);
    expect(await temp.log.checkpoints().acquire('f', 1)).toBeNull();
  });

  it('counts failures until the next move', async () => {
    const checkpoints = temp.log.checkpoints();
    await checkpoints.register('f', 1, 0);
    expect(await checkpoints.recordFailure('f', 'one')).toBe(1);
    expect(await checkpoints.recordFailure('f', 'two')).toBe(2);
    expect(temp.log.checkpoints().read('f')).toMatchObject({ failures: 2, lastError: 'two' });
    await checkpoints.acquire('f', 1);
    await checkpoints.advance('f', 0, 1);
    expect(checkpoints.read('f')).toMatchObject({ failures: 0, lastError: null, position: 1 });
  });

  it('waits for a writer without stopping the event loop', async () => {
    const checkpoints = temp.log.checkpoints();
    await checkpoints.register('f', 1, 0);
    const writer = temp.log.connect();
    writer.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    const acquired = checkpoints.acquire('f', 1);
    setTimeout(() => writer.exec('COMMIT'), 300);
    expect(await acquired).toBe(0);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });
});
