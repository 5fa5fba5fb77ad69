/** A table of many rows, as if each had been created through the log. */
import { layOut } from '../product.js';
import { type BulkLoad, bulkLoad } from './bulk-load.js';
import { idOf } from './ids.js';
import { shared } from './shared.js';

/** Two fields with the same 10,000 values, one with an index. */
const fields = `  - { name: lot, type: number }
  - { name: plain_lot, type: number }
indexes: [lot]
`;

const states = ['open', 'waiting', 'review', 'done', 'closed'];

/** @returns the directory, made once per number and run. */
export function manyRows(rows: number): Promise<string> {
  return shared(`rows-${rows}`, async (directory) => {
    layOut(directory, 'issues', fields);
    await bulkLoad(directory, (load) => fill(load, rows));
  });
}

/**
 * Nine tenths in the order of the ids, which is fast; the last tenth in no order, which leaves the pages of the indexes as
 * full as rows that came one by one would have.
 */
function fill(load: BulkLoad, rows: number): void {
  const sorted = Math.floor(rows * 0.9);
  const ids = Array.from({ length: rows }, (_, index) => idOf(index));
  const ordered = [...ids.slice(0, sorted).sort(), ...ids.slice(sorted)];
  for (const [index, id] of ordered.entries()) {
    if (index === sorted) load.index();
    const data = rowText(index);
    load.event({ rowId: id, version: 1, body: `{"data":${data}}` });
    load.row({ id, data, at: 1_790_000_000 + Math.floor(index / 10), version: 1 });
    load.history({ id, data, at: 1_790_000_000, version: 1 });
  }
}

function rowText(index: number): string {
  const lot = index % 10_000;
  const state = states[index % states.length];
  return JSON.stringify({ title: `Tablet ${index}`, state, priority: index % 7, lot, plain_lot: lot });
}
