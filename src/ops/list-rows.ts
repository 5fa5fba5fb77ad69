/** `list`: rows, newest first unless ordered otherwise. */
import { parseFieldSelector, project } from '../schema/field-selector.js';
import { parseFilter } from '../schema/filter.js';
import { parseOrderBy } from '../schema/order-by.js';
import { type RowRecord, rowRecord, type Store } from './store.js';
import type { CommandParts } from './write-row.js';

export interface ListRowsInput {
  readonly table?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly filter?: unknown;
  readonly fields?: unknown;
  readonly order_by?: unknown;
}

const defaultLimit = 100;
const largestLimit = 1000;

/** At most 1,000 rows; 100 unless asked otherwise. @throws StoreError VALIDATION_ERROR, TABLE_REQUIRED, TABLE_NOT_FOUND. */
export async function listRows(store: Store, input: ListRowsInput): Promise<RowRecord[]> {
  const table = store.registry.resolve(input.table);
  return listIn({ rows: table.open().rows, schema: table.schema }, input);
}

/** The same inside a command. @throws StoreError VALIDATION_ERROR. */
export function listIn({ rows, schema }: Pick<CommandParts, 'rows' | 'schema'>, input: ListRowsInput): RowRecord[] {
  const selector = parseFieldSelector(schema, input.fields);
  const filter = input.filter == null ? undefined : parseFilter(schema, input.filter);
  const orderBy = input.order_by == null ? undefined : parseOrderBy(schema, input.order_by);
  const limit = Math.min(input.limit ?? defaultLimit, largestLimit);
  const found = rows.list({ limit, offset: input.offset ?? 0, filter, orderBy, indexed: schema.indexes });
  return found.map((row) => rowRecord(row, (data) => project(data, selector)));
}
