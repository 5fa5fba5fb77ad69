import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Contender, type Figure, median } from '../../bench/figure.js';
import { sqliteFloor } from '../../bench/floor/sqlite-floor.js';
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
    /sample +time, ms +ours +6\.00 .* floor +3\.00 +2\.00 +beyond the limit$/m,
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
