/** `query_aggregate`: counts, sums and groups over one or more tables (storage.md §17, rulings §2 "aggregates"). */
import { isStoreError, StoreError } from '../errors.js';
import {
  type AggregateJob,
  type AggregateRow,
  type Cell,
  runSmallAggregate,
} from '../projections/rows/run-aggregate.js';
import { type Aggregator, parseAggregator } from '../schema/aggregator.js';
import { invalid } from '../schema/field-errors.js';
import { parseFilter } from '../schema/filter.js';
import { type JsonText, RawJson } from '../schema/json.js';
import { parseSources, type Sources, sourceNames } from '../schema/sources.js';
import type { Registry, Table } from '../tables/table.js';
import type { Store } from './store.js';
import { WorkerThread } from './worker-thread.js';

export interface AggregateInput {
  readonly sources: unknown;
  readonly filter?: unknown;
  readonly aggregator: unknown;
}

/** Raw JSON where an integer has more digits than a JavaScript number keeps. */
export type AggregateValue = null | number | string | boolean | RawJson;

/** Groups come in the order of their keys: null, numbers and booleans, text by its bytes. */
export type Aggregated =
  | { readonly kind: 'count'; readonly value: number }
  | { readonly kind: 'value'; readonly value: AggregateValue }
  | { readonly kind: 'groups'; readonly value: readonly AggregateGroup[] };

export interface AggregateGroup {
  readonly key: AggregateValue;
  readonly count: number;
  /** Present when the aggregator has an `inner`. */
  readonly value?: AggregateValue;
}

/**
 * Patterns are for aliases, which are resolved when they run.
 * @throws StoreError AGGREGATOR_ERROR, VALIDATION_ERROR, TABLE_NOT_FOUND, STORAGE_ERROR, BUSY.
 */
export async function aggregate(store: Store, input: AggregateInput): Promise<Aggregated> {
  const sources = parseSources(input.sources);
  if (sources.kind === 'pattern') throw new StoreError('AGGREGATOR_ERROR', { detail: onlyInAliases });
  return aggregateTables(resolveSources(store.registry, sources), input);
}

/**
 * The mounted tables that sources name; patterns are matched against the tables that are mounted now.
 * @throws StoreError AGGREGATOR_ERROR, TABLE_NOT_FOUND, VALIDATION_ERROR.
 */
export function resolveSources(registry: Registry, sources: Sources): Table[] {
  const known = registry.tables().map((table) => table.name);
  const tables = sourceNames(sources, known).map((name) => registry.resolve(name));
  const twice = tables.find((table, index) => tables.findIndex((other) => isSame(other, table)) !== index);
  if (twice !== undefined) throw invalid('sources', `table '${twice.name}' is named twice`);
  return tables;
}

/** Filter and aggregator are checked against the first table's schema and run over all of them. */
export async function aggregateTables(
  tables: readonly Table[],
  input: Pick<AggregateInput, 'filter' | 'aggregator'>,
): Promise<Aggregated> {
  const [first] = tables;
  if (first === undefined) throw new StoreError('AGGREGATOR_ERROR', { detail: 'at least one table is needed' });
  const aggregator = parseAggregator(first.schema, input.aggregator);
  const filter = input.filter == null ? null : parseFilter(first.schema, input.filter);
  for (const table of tables) table.open();
  const rows = await run({ paths: tables.map((table) => table.databasePath), filter, aggregator });
  return aggregated(aggregator, rows);
}

const onlyInAliases = 'a pattern works in an alias only; here at least one table has to be named';

const worker = new WorkerThread<AggregateJob, AggregateRow[]>('aggregate-worker');

async function run(job: AggregateJob): Promise<AggregateRow[]> {
  return runAtOnce(job) ?? (await worker.run(job));
}

/** Null when another thread has to do it: because of the size, or because another process holds the file. */
function runAtOnce(job: AggregateJob): AggregateRow[] | null {
  try {
    return runSmallAggregate(job);
  } catch (error) {
    if (isStoreError(error) && error.code === 'BUSY') return null;
    throw error;
  }
}

function isSame(one: Table, other: Table): boolean {
  return one === other || one.databasePath === other.databasePath;
}

function aggregated(aggregator: Aggregator, rows: readonly AggregateRow[]): Aggregated {
  if (aggregator.kind === 'group_by') {
    return { kind: 'groups', value: rows.map((row) => group(row, aggregator.inner !== null)) };
  }
  const [row] = rows;
  if (aggregator.kind === 'count') return { kind: 'count', value: Number(row?.rows ?? 0) };
  return { kind: 'value', value: wireValue(row?.value ?? null) };
}

function group(row: AggregateRow, hasInner: boolean): AggregateGroup {
  const found = row.group_key ?? null;
  const key = row.isBoolean ? Number(found) === 1 : wireValue(found);
  const counted = { key, count: Number(row.rows) };
  return hasInner ? { ...counted, value: wireValue(row.value) } : counted;
}

/** JSON has no infinity and no NaN; null stands for them. */
function wireValue(cell: Cell): AggregateValue {
  if (typeof cell === 'bigint') {
    const number = Number(cell);
    return Number.isSafeInteger(number) ? number : new RawJson(String(cell) as JsonText);
  }
  return typeof cell === 'number' && !Number.isFinite(cell) ? null : cell;
}
