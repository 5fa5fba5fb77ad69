/** `get`: one row by its id or the start of it. */
import { StoreError } from '../errors.js';
import { parseFieldSelector, project } from '../schema/field-selector.js';
import { resolveId } from './resolve-id.js';
import { type RowRecord, rowRecord, type Store } from './store.js';
import type { CommandParts } from './write-row.js';

export interface GetRowInput {
  readonly table?: string | undefined;
  readonly id: string;
  readonly fields?: unknown;
}

/** @throws StoreError VALIDATION_ERROR, NOT_FOUND, AMBIGUOUS_ID, TABLE_REQUIRED, TABLE_NOT_FOUND. */
export async function getRow(store: Store, input: GetRowInput): Promise<RowRecord> {
  const table = store.registry.resolve(input.table);
  return getIn({ rows: table.open().rows, schema: table.schema }, input);
}

/** The same inside a command. @throws StoreError VALIDATION_ERROR, NOT_FOUND, AMBIGUOUS_ID. */
export function getIn({ rows, schema }: Pick<CommandParts, 'rows' | 'schema'>, input: GetRowInput): RowRecord {
  const selector = parseFieldSelector(schema, input.fields);
  const id = resolveId(input.id, (prefix) => rows.idsWithPrefix(prefix));
  const row = rows.get(id);
  if (row === null) throw new StoreError('NOT_FOUND', { id: input.id });
  return rowRecord(row, (data) => project(data, selector));
}
