/** What a create costs when the table, or its log, has grown. */
import { createRow } from '../../src/ops/create-row.js';
import { longLog } from '../data/long-log.js';
import { manyRows } from '../data/many-rows.js';
import type { Contender, Figure } from '../figure.js';
import { caller, data, withStore } from '../product.js';

const limit = { create: { unit: 'us', maxRatio: 1.2 } } as const;
const million = 1_000_000;

export const figures: Figure[] = [
  {
    name: 'growth-rows',
    metrics: limit,
    subject: creating('create, table of 1M rows', () => manyRows(million)),
    reference: creating('create, table of 1,000 rows', () => manyRows(1_000)),
    runs: 5,
  },
  {
    name: 'growth-events',
    metrics: limit,
    subject: creating('create, log of 1M events', () => longLog(million)),
    reference: creating('create, log of 1 event', () => longLog(1)),
    runs: 5,
  },
];

const creates = 500;

function creating(name: string, made: () => Promise<string>): Contender {
  return {
    name,
    measure: async () =>
      withStore(await made(), async (store) => {
        const start = performance.now();
        for (let index = 0; index < creates; index++) await createRow(store, { table: 'issues', data }, caller);
        return { create: ((performance.now() - start) * 1_000) / creates };
      }),
  };
}
