/** `rebuild --projection dump`: brings the markdown of every live row up to date. The follower's position stays where it is. */
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { StoreError } from '../errors.js';
import { introduceCheckpoint } from '../projections/checkpoints/introduce.js';
import { SqliteCheckpoints } from '../projections/checkpoints/sqlite-checkpoints.js';
import { type DumpOptions, dumpFollower, rewriteDump } from '../projections/dump/dump-follower.js';
import type { DumpPlace } from '../projections/dump/dump-path.js';
import type { TableDatabase } from '../tables/table-database.js';
import { type OperatedTable, type WorkOptions, withDatabase } from './operated-table.js';

export interface DumpRebuilt {
  readonly table: string;
  /** Live rows whose file has been compared and, where it differed, written. */
  readonly files: number;
}

/** How long to wait for a server that is writing the same files, in milliseconds. */
const patience = 30_000;
const pageSize = 100;

/** @throws StoreError VALIDATION_ERROR for a table without `dump:`, IO_ERROR, SCHEMA_ERROR, BUSY. */
export async function rebuildDump(
  table: OperatedTable,
  place: Omit<DumpPlace, 'schema'>,
  options: WorkOptions = {},
): Promise<DumpRebuilt> {
  const settings = table.schema.dump;
  if (settings === null) {
    throw new StoreError('VALIDATION_ERROR', { field: 'dump', reason: `table ${table.name} has no dump section` });
  }
  return withDatabase(table, async (database) => {
    const dump: DumpOptions = { ...place, schema: table.schema, rows: database.rows, settings, warn: () => undefined };
    const connection = new Database(table.database.path);
    try {
      return await underLease(new SqliteCheckpoints(connection), database, dump, (assertLeased, renew) =>
        rewriteAll({ table: table.name, database, dump, assertLeased, renew }, options),
      );
    } finally {
      connection.close();
    }
  });
}

type Leased<T> = (assertLeased: () => void, renew: () => Promise<void>) => Promise<T>;

async function underLease<T>(
  checkpoints: SqliteCheckpoints,
  database: TableDatabase,
  dump: DumpOptions,
  run: Leased<T>,
): Promise<T> {
  const { name, version } = dumpFollower(dump);
  introduceCheckpoint(database.connection, name, version, database.head());
  await checkpoints.register(name, version, 0);
  const deadline = Date.now() + patience;
  while ((await checkpoints.acquire(name, version)) === null) {
    if (Date.now() > deadline) throw new StoreError('BUSY', { retry_after_ms: 1_000 });
    await delay(50);
  }
  try {
    return await run(
      () => checkpoints.assertLeased(name),
      () => checkpoints.renew(name),
    );
  } finally {
    await checkpoints.release(name);
  }
}

interface Rewriting {
  readonly table: string;
  readonly database: TableDatabase;
  readonly dump: DumpOptions;
  assertLeased(): void;
  renew(): Promise<void>;
}

async function rewriteAll(rewriting: Rewriting, { signal, onProgress }: WorkOptions): Promise<DumpRebuilt> {
  const { table, database, dump, assertLeased, renew } = rewriting;
  const total = database.rows.count();
  const page = database.connection.prepare<[string], string>(
    `SELECT id FROM rows WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
  );
  let files = 0;
  for (let ids = page.pluck().all(''); ids.length > 0; ids = page.all(ids.at(-1) ?? '')) {
    await renew();
    await rewriteDump(ids, dump, { signal: signal ?? new AbortController().signal, assertLeased });
    files += ids.length;
    onProgress?.({ done: files, total });
  }
  return { table, files };
}
