/** A table of many rows, as if each had been created through the log. */
import { data, layOut } from '../product.js';
import { bulkLoad } from './bulk-load.js';
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
    await bulkLoad(directory, (load) => {
      for (let index = 0; index < rows; index++) {
        const id = idOf(index);
        const text = JSON.stringify(rowOf(index));
        load.event({ rowId: id, version: 1, body: `{"data":${text}}` });
        load.row({ id, data: text, at: 1_790_000_000 + Math.floor(index / 10), version: 1 });
        load.history({ id, data: text, at: 1_790_000_000, version: 1 });
      }
    });
  });
}

function rowOf(index: number): object {
  const lot = index % 10_000;
  return {
    ...data,
    body: `Seen on tablet ${index}.`,
    state: states[index % 5],
    priority: index % 7,
    lot,
    plain_lot: lot,
  };
}
