/** Making rows and history anew from the log, and opening a table with a long one. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { createRow } from '../../src/ops/create-row.js';
import type { OperatedTable } from '../../src/ops/operated-table.js';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { TableDatabase } from '../../src/tables/table-database.js';
import { idOf } from '../data/ids.js';
import { longLog } from '../data/long-log.js';
import { shared } from '../data/shared.js';
import type { Figure } from '../figure.js';
import { openFloor } from '../floor/sqlite-floor.js';
import { byCallers, caller, data, databaseIn, databaseOptions, withStore } from '../product.js';

const events = 20_000;
const longest = 1_000_000;

export const figures: Figure[] = [
  {
    name: 'rebuild',
    // At least 0.6 of the rate of inserting the same rows and history by hand.
    metrics: { event: { unit: 'us', maxRatio: 1 / 0.6 } },
    subject: {
      name: `rebuild from ${events} events`,
      measure: (directory) =>
        timed(directory, (table) => rebuildTable(table, { caller, projections: ['rows', 'row-history'] })),
    },
    reference: { name: 'bulk insert of rows and history', measure: (directory) => ({ event: bulkInsert(directory) }) },
    runs: 3,
  },
  {
    name: 'verify',
    metrics: { event: { unit: 'us' } },
    subject: {
      name: `verify ${events} events`,
      measure: (directory) => timed(directory, (table) => verifyTable(table)),
    },
    reference: { name: 'bulk insert of rows and history', measure: (directory) => ({ event: bulkInsert(directory) }) },
    runs: 3,
  },
  {
    name: 'open-long-log',
    metrics: { open: { unit: 'ms', maxRatio: 1.5 } },
    subject: {
      name: `open a table of ${longest} events`,
      measure: async () => ({ open: await opening(databaseIn(await longLog(longest))) }),
    },
    reference: {
      name: 'open an empty table',
      measure: async (directory) => ({ open: await opening(await empty(directory)) }),
    },
    runs: 7,
  },
];

/** The same table for every run, made once. */
function filled(): Promise<string> {
  return shared('created', (directory) =>
    withStore(directory, (store) => byCallers(64, events, () => createRow(store, { table: 'issues', data }, caller))),
  );
}

async function timed(directory: string, run: (table: OperatedTable) => Promise<unknown>): Promise<{ event: number }> {
  cpSync(await filled(), directory, { recursive: true });
  const path = databaseIn(directory);
  return withStore(directory, async (store) => {
    const { schema } = store.registry.resolve('issues');
    const start = performance.now();
    await run({ name: 'issues', schema, database: databaseOptions(path) });
    return { event: ((performance.now() - start) * 1_000) / events };
  });
}

/** What a rebuild has to write at least, 1,000 per transaction, without waiting for the disk. */
function bulkInsert(directory: string): number {
  const database = openFloor(directory, 'OFF');
  const text = JSON.stringify(data);
  const row = database.prepare('INSERT INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, ?, ?, 1)');
  const history = database.prepare(
    "INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json) VALUES ('issues', ?, 1, ?, 'create', ?)",
  );
  const batch = database.transaction((first: number) => {
    for (let index = first; index < first + 1_000; index++) {
      const id = idOf(index);
      row.run(id, text, 1_790_000_000, 1_790_000_000);
      history.run(id, 1_790_000_000, text);
    }
  });
  const start = performance.now();
  for (let first = 0; first < events; first += 1_000) batch.immediate(first);
  const elapsed = performance.now() - start;
  database.close();
  return (elapsed * 1_000) / events;
}

async function empty(directory: string): Promise<string> {
  const path = join(directory, 'issues.db');
  await openAndClose(path);
  return path;
}

async function openAndClose(path: string): Promise<void> {
  await TableDatabase.open(databaseOptions(path)).close();
}

async function opening(path: string): Promise<number> {
  const start = performance.now();
  const database = TableDatabase.open(databaseOptions(path));
  const elapsed = performance.now() - start;
  await database.close();
  return elapsed;
}
