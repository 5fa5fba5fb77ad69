import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Contender, type Figure, median } from '../../bench/figure.js';
import { sqliteFloor } from '../../bench/floor/sqlite-floor.js';
import { goalText, isWithin } from '../../bench/goal.js';
import { Latencies } from '../../bench/latency.js';
import { measure } from '../../bench/measure.js';
import { table } from '../../bench/table.js';
import { tempDir } from '../helpers/temp-dir.js';

test('the median of an even number of values lies between the middle two', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([])]).toEqual([2, 2.5, Number.NaN]);
});

test('a figure is measured in turns, each time in an empty directory that is gone afterwards', async () => {
  const seen: string[] = [];
  const order: string[] = [];
  const contender = (name: string, times: number[]): Contender => ({
    name,
    measure: (directory) => {
      expect(readdirSync(directory)).toEqual([]);
      writeFileSync(join(directory, 'left-over'), '');
      seen.push(directory);
      order.push(name);
      return { time: times.shift() ?? 0 };
    },
  });
  const figure: Figure = {
    name: 'sample',
    metrics: { time: { unit: 'ms', maxRatio: 1.5 } },
    subject: contender('ours', [99, 4, 8, 6]),
    reference: contender('floor', [99, 3, 2, 4]),
    runs: 3,
  };
  const [row] = await measure(figure);
  expect(row).toMatchObject({ value: 6, min: 4, max: 8, referenceValue: 3, ratio: 2, withinLimit: false });
  expect(order.slice(0, 4)).toEqual(['ours', 'floor', 'ours', 'floor']);
  expect(seen.filter((directory) => existsSync(directory))).toEqual([]);
  expect(row === undefined ? '' : table([row])).toMatch(
    /^\| `sample` \| time, ms \| ours \| +6\.00 \| .* \| floor +\| +3\.00 \| +2\.00 \| ≤ 1\.5 × \| NO +\|$/m,
  );
});

test('latencies answer percentiles and a histogram of powers of two', async () => {
  const latencies = new Latencies();
  for (let call = 0; call < 5; call++) await latencies.time(() => Promise.resolve());
  expect(latencies.at(0.5)).toBeLessThanOrEqual(latencies.at(1));
  expect([...latencies.histogram().values()].reduce((sum, count) => sum + count, 0)).toBe(5);
});

test('the floor writes with the tables that the product has', () => {
  const perOperation = sqliteFloor(tempDir(), { operations: 10, perTransaction: 4, synchronous: 'FULL' });
  expect(perOperation).toBeGreaterThan(0);
});

test('a goal is a ratio, a most, or a most above the reference', () => {
  const metric = { unit: 'MiB', maxRatio: 2, max: 100, maxAbove: 25 } as const;
  expect(goalText(metric)).toBe('≤ 2 ×, ≤ 100 MiB, ≤ +25 MiB');
  expect(goalText({ unit: 'ms' })).toBeNull();
  expect(isWithin(metric, 60, 40)).toBe(true);
  expect(isWithin(metric, 60, 29)).toBe(false);
  expect(isWithin(metric, 110, 100)).toBe(false);
  expect(isWithin({ unit: 'ms', maxAbove: 25 }, 70, 40)).toBe(false);
  expect(isWithin({ unit: 'per s', minRatio: 3 }, 200, 100)).toBe(false);
  expect(isWithin(metric, 60, null)).toBe(true);
});

test('a metric that the reference lacks stands alone; what is measured without warm-up is measured once per run', async () => {
  let measured = 0;
  const subject = { name: 'ours', measure: () => ({ time: ++measured, extra: 1 }) };
  const reference = { name: 'floor', measure: () => ({ time: 1 }) };
  const metrics = { time: { unit: 'ms' }, extra: { unit: 'MiB' } } as const;
  const rows = await measure({ name: 'sample', metrics, subject, reference, runs: 1, warmUp: false });
  expect(rows).toMatchObject([
    { value: 1, ratio: 1, reference: 'floor' },
    { value: 1, ratio: null, reference: null },
  ]);
});
