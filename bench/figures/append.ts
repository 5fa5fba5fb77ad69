/** A change through the op: validation, events, hashes, projections, queue; against the same inserts by hand. */
import { createRow } from '../../src/ops/create-row.js';
import type { Contender, Figure } from '../figure.js';
import { type FloorOptions, sqliteFloor } from '../floor/sqlite-floor.js';
import { byCallers, caller, data, withStore } from '../product.js';

/** A rate of at least 0.8 and 0.7 of the floor's. */
const limits = { single: 1 / 0.8, grouped: 1 / 0.7 };

export const figures: Figure[] = [
  {
    name: 'append-single',
    metrics: { operation: { unit: 'us', maxRatio: limits.single } },
    subject: product('create, 1 caller', 1_000, 1),
    reference: floor('inserts by hand, 1 per commit', { operations: 1_000, perTransaction: 1, synchronous: 'FULL' }),
    runs: 5,
    warmUp: false,
  },
  {
    name: 'append-grouped',
    metrics: { operation: { unit: 'us', maxRatio: limits.grouped } },
    subject: product('create, 64 callers', 6_400, 64),
    reference: floor('inserts by hand, 64 per commit', {
      operations: 6_400,
      perTransaction: 64,
      synchronous: 'FULL',
    }),
    runs: 5,
    warmUp: false,
  },
];

/** As the floor, it does as many operations before that do not count: a server is warm for nearly all of its life. */
function product(name: string, operations: number, callers: number): Contender {
  return {
    name,
    measure: (directory) =>
      withStore(directory, async (store) => {
        const work = () => byCallers(callers, operations, () => createRow(store, { table: 'issues', data }, caller));
        await work();
        const start = performance.now();
        await work();
        return { operation: ((performance.now() - start) * 1_000) / operations };
      }),
  };
}

function floor(name: string, options: FloorOptions): Contender {
  return { name, measure: (directory) => ({ operation: sqliteFloor(directory, options) }) };
}
