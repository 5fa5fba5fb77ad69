import { describe, expect, it } from 'vitest';
import { replay } from '../../../src/projections/replay.js';
import { useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();

function commitRows(count: number): void {
  temp.log.commit(Array.from({ length: count }, (_, n) => ({ id: `r${n}`, data: { n } })));
}

describe('replay', () => {
  it('takes an empty range as a success', async () => {
    const apply = () => expect.unreachable();
    expect(await replay({ log: temp.log, from: 0, to: 0, apply })).toEqual({ position: 0, to: 0, applied: 0 });
  });

  it('applies exactly the range, in order, in batches, and tells how far it is', async () => {
    commitRows(25);
    const seen: number[] = [];
    const positions: number[] = [];
    const result = await replay({
      log: temp.log,
      from: 3,
      to: 22,
      batchSize: 10,
      apply: (batch) => void seen.push(...batch.map((event) => event.seq)),
      onProgress: ({ position }) => positions.push(position),
    });
    expect(seen).toEqual(Array.from({ length: 19 }, (_, index) => index + 4));
    expect(positions).toEqual([13, 22]);
    expect(result).toEqual({ position: 22, to: 22, applied: 19 });
  });

  it('stops between batches when aborted, and can be resumed from there', async () => {
    commitRows(30);
    const seen: number[] = [];
    const abort = new AbortController();
    let reached = 0;
    const apply = (batch: readonly { seq: number }[], position: number) => {
      seen.push(...batch.map((event) => event.seq));
      reached = position;
    };
    const onProgress = () => abort.abort(new Error('enough'));
    const first = replay({ log: temp.log, from: 0, to: 30, batchSize: 10, apply, onProgress, signal: abort.signal });
    await expect(first).rejects.toThrow('enough');
    expect(reached).toBe(10);
    await replay({ log: temp.log, from: reached, to: 30, batchSize: 10, apply });
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it('lets the event loop go on', async () => {
    commitRows(2_000);
    let turns = 0;
    let running = true;
    const turn = () => {
      turns++;
      if (running) setImmediate(turn);
    };
    setImmediate(turn);
    await replay({ log: temp.log, from: 0, to: 2_000, batchSize: 100, apply: () => undefined });
    running = false;
    expect(turns).toBeGreaterThanOrEqual(19);
  });

  it('does not take an empty page for the end', async () => {
    commitRows(5);
    let calls = 0;
    const late = {
      head: () => temp.log.head(),
      readAfter: async (position: number, limit: number) =>
        calls++ % 2 === 0 ? [] : temp.log.readAfter(position, limit),
    };
    const { applied } = await replay({ log: late, from: 0, to: 5, batchSize: 2, apply: () => undefined });
    expect(applied).toBe(5);
  });

  it('refuses a log that ends before its head', async () => {
    commitRows(2);
    await expect(replay({ log: temp.log, from: 0, to: 9, apply: () => undefined })).rejects.toMatchObject({
      code: 'CORRUPT_LOG',
      fields: { seq: 3 },
    });
  });
});
