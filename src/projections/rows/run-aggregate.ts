/** Running an aggregate over the rows of one or more database files, on a read-only connection of its own. */
import { type Connection, openReader } from '../../events/database.js';
import { storageError } from '../../events/storage-error.js';
import type { Filter } from '../../schema/filter.js';
import { type AggregateQuery, aggregateSql, type Leniency } from './aggregate-sql.js';

/** An aggregate as plain data: it can be sent to another thread. */
export interface AggregateJob extends AggregateQuery {
  /** The database files, at most 10, each with the tables of this program. */
  readonly paths: readonly string[];
}

/** As SQLite has it: integers are bigint, so that none loses digits. */
export type Cell = null | number | bigint | string;

export interface AggregateRow {
  readonly rows: bigint;
  readonly value: Cell;
  /** Groups only. */
  readonly group_key?: Cell;
  /** Groups only: the key, a number, stands for true or false. */
  readonly isBoolean?: true;
}

interface FoundRow extends Omit<AggregateRow, 'group_key' | 'isBoolean'> {
  readonly group_key?: Cell | Buffer;
}

/** @throws StoreError STORAGE_ERROR, BUSY. */
export function runAggregate(job: AggregateJob): AggregateRow[] {
  return withSources(job, (connection, schemas) => query(connection, job, schemas));
}

/** Runs the aggregate when that takes a few milliseconds; null when it would hold the thread up. */
export function runSmallAggregate(job: AggregateJob): AggregateRow[] | null {
  return withSources(job, (connection, schemas) => {
    connection.pragma('busy_timeout = 25');
    return isSmall(connection, schemas, job) ? query(connection, job, schemas) : null;
  });
}

/** About 20 ms. Per condition tested on every row: rows, and bytes of the file (which bound the bytes of the rows). */
const smallRows = 5_000;
const smallBytes = 4 * 1024 * 1024;

function isSmall(connection: Connection, schemas: readonly string[], { filter, aggregator }: AggregateJob): boolean {
  const having = aggregator.kind === 'group_by' ? aggregator.having : null;
  const conditions = 1 + weight(filter) + weight(having);
  let rows = 0;
  let bytes = 0;
  for (const schema of schemas) {
    rows += Number(connection.prepare(`SELECT coalesce(max(rowid), 0) FROM ${schema}.rows`).pluck().get());
    bytes += Number(connection.pragma(`${schema}.page_count`, { simple: true })) * pageSize(connection, schema);
  }
  return rows * conditions <= smallRows && bytes * conditions <= smallBytes;
}

function pageSize(connection: Connection, schema: string): number {
  return Number(connection.pragma(`${schema}.page_size`, { simple: true }));
}

function weight(filter: Filter | null): number {
  if (filter === null) return 0;
  if ('filters' in filter) return filter.filters.reduce((sum, child) => sum + weight(child), 0);
  return filter.type === 'in' ? 1 + filter.values.length / 100 : 1;
}

// An attached file takes over that the connection can only read.
function withSources<T>({ paths }: AggregateJob, use: (connection: Connection, schemas: readonly string[]) => T): T {
  const [first = '', ...others] = paths;
  const connection = openReader(first);
  try {
    const schemas = others.map((path, index) => {
      connection.prepare(`ATTACH ? AS db_${index + 1}`).run(path);
      return `db_${index + 1}`;
    });
    return use(connection, ['main', ...schemas]);
  } catch (error) {
    throw storageError(error);
  } finally {
    connection.close();
  }
}

function query(connection: Connection, job: AggregateJob, schemas: readonly string[]): AggregateRow[] {
  let leniency: Leniency = { unreadable: false, overflow: false };
  for (;;) {
    try {
      const { sql, params } = aggregateSql(job, schemas, leniency);
      const found = connection
        .prepare<unknown[], FoundRow>(sql)
        .safeIntegers(true)
        .all(...params);
      return withBooleans(found);
    } catch (error) {
      const more = moreLenient(leniency, error);
      if (more === null) throw error;
      leniency = more;
    }
  }
}

/** Booleans come last from SQLite; they belong behind the number that each counts as. */
function withBooleans(found: readonly FoundRow[]): AggregateRow[] {
  const rows: AggregateRow[] = [];
  const booleans: (AggregateRow & { readonly group_key: bigint })[] = [];
  for (const { group_key: key, ...row } of found) {
    if (Buffer.isBuffer(key)) booleans.push({ ...row, group_key: BigInt(key.toString()), isBoolean: true });
    else rows.push(key === undefined ? row : { ...row, group_key: key });
  }
  for (const row of booleans) rows.splice(placeOf(row.group_key, rows), 0, row);
  return rows;
}

function placeOf(number: bigint, rows: readonly AggregateRow[]): number {
  const isBefore = ({ group_key: key = null }: AggregateRow) =>
    key === null || (typeof key !== 'string' && key <= number);
  return rows.findLastIndex(isBefore) + 1;
}

/** Both are found out only while the query runs, and testing every row beforehand would cost more than a second run. */
function moreLenient(leniency: Leniency, error: unknown): Leniency | null {
  const message = error instanceof Error ? error.message : '';
  if (message === 'malformed JSON' && !leniency.unreadable) return { ...leniency, unreadable: true };
  if (message === 'integer overflow' && !leniency.overflow) return { ...leniency, overflow: true };
  return null;
}
