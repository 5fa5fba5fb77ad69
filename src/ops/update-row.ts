/** `update`: merges into a row (RFC 7396, shallow) or replaces it. */
import { StoreError } from '../errors.js';
import { checkedMembers } from '../events/row-members.js';
import type { Caller, RowState } from '../events/types.js';
import type { Members } from '../schema/json.js';
import { mergeRow } from '../schema/merge-row.js';
import type { TableSchema } from '../schema/table-schema.js';
import { validateData } from '../schema/validate-row.js';
import { resolveId } from './resolve-id.js';
import { rowUpdated } from './row-events.js';
import type { RowRecord, Store } from './store.js';
import {
  type CommandParts,
  changedRow,
  liveRow,
  type WriteArguments,
  withPresentSchema,
  writeRow,
} from './write-row.js';

export interface UpdateRowInput extends WriteArguments {
  readonly table?: string | undefined;
  readonly id: string;
  readonly data: unknown;
  readonly mode?: 'merge' | 'replace' | undefined;
}

/** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR, VERSION_CONFLICT, IDEMPOTENCY_CONFLICT, BUSY. */
export function updateRow(store: Store, input: UpdateRowInput, caller: Caller): Promise<RowRecord> {
  return withPresentSchema(() => update(store, input, caller));
}

async function update(store: Store, input: UpdateRowInput, caller: Caller): Promise<RowRecord> {
  const table = store.registry.resolve(input.table);
  const { rows } = table.open();
  return writeRow({
    table,
    caller,
    op: 'update',
    input,
    decide: (tx) => changeRow({ tx, rows, schema: table.schema }, input),
  });
}

/** The step of a command that changes a row. @throws StoreError as {@link updateRow}. */
export function changeRow({ tx, rows, schema }: CommandParts, input: UpdateRowInput): RowState {
  const id = resolveId(input.id, (prefix) => rows.idsWithPrefix(prefix));
  const before = liveRow(tx, id, input);
  tx.append(rowUpdated(schema, before, newMembers(schema, before, input)));
  return changedRow(tx, id);
}

function newMembers(schema: TableSchema, before: RowState, { data, mode }: UpdateRowInput): Members {
  return mode === 'replace' ? validateData(schema, data) : mergeRow(schema, storedMembers(before), data);
}

/**
 * The members of a stored row, not to be changed.
 * @throws StoreError SCHEMA_ERROR when somebody stored what is no JSON object.
 */
export function storedMembers(row: RowState): Members {
  const members = checkedMembers(row);
  if (members !== null) return members;
  throw new StoreError(
    'SCHEMA_ERROR',
    { detail: `row ${row.id} holds data that is no JSON object` },
    { hint: 'Replace the row with mode "replace", or bring an earlier version back with row_restore.' },
  );
}
