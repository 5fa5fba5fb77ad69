/** `create`: a new row. */
import type { Caller, RowState } from '../events/types.js';
import type { JsonText } from '../schema/json.js';
import { validRowText } from '../schema/validate-row.js';
import { newRowCreated } from './row-events.js';
import type { RowRecord, Store } from './store.js';
import { type CommandParts, changedRow, type WriteArguments, withPresentSchema, writeRow } from './write-row.js';

export interface CreateRowInput extends WriteArguments {
  readonly table?: string | undefined;
  readonly data: unknown;
}

/** @throws StoreError VALIDATION_ERROR, TABLE_REQUIRED, TABLE_NOT_FOUND, IDEMPOTENCY_CONFLICT, BUSY. */
export function createRow(store: Store, input: CreateRowInput, caller: Caller): Promise<RowRecord> {
  return withPresentSchema(() => create(store, input, caller));
}

async function create(store: Store, input: CreateRowInput, caller: Caller): Promise<RowRecord> {
  const table = store.registry.resolve(input.table);
  const data = validRowText(table.schema, input.data);
  const id = store.newId();
  return writeRow({
    table,
    caller,
    op: 'create',
    input,
    decide: (tx) => addRow({ tx, schema: table.schema }, id, data),
  });
}

/** The step of a command that makes a row under an id that is new. */
export function addRow({ tx, schema }: Pick<CommandParts, 'tx' | 'schema'>, id: string, data: JsonText): RowState {
  tx.append(newRowCreated(schema, id, data));
  return changedRow(tx, id);
}
