/** Making rows and history anew from the log, and opening a table with a long one. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createRow } from '../../src/ops/create-row.js';
import type { OperatedTable } from '../../src/ops/operated-table.js';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { defaultArchiveLimits } from '../../src/projections/row-history/project.js';
import { TableDatabase } from '../../src/tables/table-database.js';
import type { Figure } from '../figure.js';
import { openFloor } from '../floor/sqlite-floor.js';
import { caller, data, withStore } from '../product.js';

const events = 20_000;
const longLog = 1_000_000;

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
    runs: 5,
  },
  {
    name: 'verify',
    metrics: { event: { unit: 'us' } },
    subject: {
      name: `verify ${events} events`,
      measure: (directory) => timed(directory, (table) => verifyTable(table)),
    },
    reference: { name: 'bulk insert of rows and history', measure: (directory) => ({ event: bulkInsert(directory) }) },
    runs: 5,
  },
  {
    name: 'open-long-log',
    metrics: { open: { unit: 'ms', maxRatio: 1.5 } },
    subject: {
      name: `open a table of ${longLog} events`,
      measure: async () => ({ open: await opening(await withLongLog()) }),
    },
    reference: {
      name: 'open an empty table',
      measure: async (directory) => ({ open: await opening(await empty(directory)) }),
    },
    runs: 9,
  },
];

const made = mkdtempSync(join(tmpdir(), 'mini-app-bench-data-'));
process.on('exit', () => rmSync(made, { recursive: true, force: true }));

/** The same table for every run, made once. */
async function filled(): Promise<string> {
  const directory = join(made, 'filled');
  if (existsSync(directory)) return directory;
  mkdirSync(directory);
  await withStore(directory, async (store) => {
    let left = events;
    const work = async () => {
      while (left-- > 0) await createRow(store, { table: 'issues', data }, caller);
    };
    await Promise.all(Array.from({ length: 64 }, work));
  });
  return directory;
}

async function timed(directory: string, run: (table: OperatedTable) => Promise<unknown>): Promise<{ event: number }> {
  cpSync(await filled(), directory, { recursive: true });
  const path = join(directory, 'issues', 'issues.db');
  return withStore(directory, async (store) => {
    const { schema } = store.registry.resolve('issues');
    const start = performance.now();
    await run({ name: 'issues', schema, database: databaseOptions(path) });
    return { event: ((performance.now() - start) * 1_000) / events };
  });
}

function databaseOptions(path: string) {
  return {
    path,
    name: 'issues',
    historyName: 'issues',
    history: 'full' as const,
    archive: defaultArchiveLimits,
    session: 'bench',
    now: Date.now,
  };
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

function idOf(index: number): string {
  const spread = (Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  return `${spread}-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
}

async function empty(directory: string): Promise<string> {
  const path = join(directory, 'issues.db');
  await openAndClose(path);
  return path;
}

/** The length of the log is what matters, not what is in it. */
async function withLongLog(): Promise<string> {
  const path = join(made, 'long.db');
  if (existsSync(path)) return path;
  await openAndClose(path);
  const database = new Database(path);
  database.pragma('synchronous = OFF');
  const insert = database.prepare(
    `INSERT INTO _events (seq, commit_no, row_id, row_version, type, event_version, body, actor, origin, at_ms, prev_hash, hash)
     VALUES (?, ?, ?, 1, 'row.created', 1, '{"data":{"title":"x"}}', 'bench', '{"tool":"create","session":"s"}', 0, zeroblob(32), zeroblob(32))`,
  );
  const row = database.prepare('INSERT INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, 1, 1, 1)');
  database.transaction(() => {
    for (let index = 1; index <= longLog; index++) {
      insert.run(index, index, idOf(index));
      if (index % 10 === 0) row.run(idOf(index), '{"title":"x"}');
    }
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
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
