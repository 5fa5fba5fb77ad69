/** Reading pages: what the size of the table costs, and what an index on a field saves. */
import { type ListRowsInput, listRows } from '../../src/ops/list-rows.js';
import { manyRows } from '../data/many-rows.js';
import type { Contender, Figure } from '../figure.js';
import { withStore } from '../product.js';
import { medianTime } from '../timing.js';

const million = 1_000_000;

export const figures: Figure[] = [
  newest('list-newest-100k', 100_000),
  newest('list-newest-1m', million),
  {
    name: 'list-eq-indexed',
    // At least a hundred times as fast.
    metrics: { call: { unit: 'ms', maxRatio: 0.01 } },
    subject: listing('eq on an indexed field, 1M rows', million, 100, equal('lot')),
    reference: listing('the same values, no index', million, 1, equal('plain_lot')),
    runs: 3,
  },
];

/** A page of the newest comes from an index, whatever the number of rows. */
function newest(name: string, rows: number): Figure {
  return {
    name,
    metrics: { call: { unit: 'ms', maxRatio: 1.3 } },
    subject: listing(`newest 100 of ${rows} rows`, rows, 300, {}),
    reference: listing('newest 100 of 1000 rows', 1_000, 300, {}),
    runs: 3,
  };
}

function equal(field: string): ListRowsInput {
  return { filter: { type: 'eq', field, value: 4_321 } };
}

function listing(name: string, rows: number, calls: number, input: ListRowsInput): Contender {
  return {
    name,
    measure: async () =>
      withStore(await manyRows(rows), async (store) => ({
        call: await medianTime(calls, () => listRows(store, { table: 'issues', ...input })),
      })),
  };
}
