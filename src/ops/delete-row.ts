/** `delete`: removes a row. Its history stays, and `row_restore` brings it back. */
import type { Caller } from '../events/types.js';
import type { JsonValue } from '../schema/json.js';
import { resolveId } from './resolve-id.js';
import { rowDeleted } from './row-events.js';
import type { Store } from './store.js';
import { type CommandParts, liveRow, runWrite, type WriteArguments, withPresentSchema } from './write-row.js';

export interface DeleteRowInput extends WriteArguments {
  readonly table?: string | undefined;
  readonly id: string;
}

export interface Deleted {
  /** The full id. */
  readonly deleted: string;
  readonly replayed?: true;
}

/** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VERSION_CONFLICT, IDEMPOTENCY_CONFLICT, BUSY. */
export function deleteRow(store: Store, input: DeleteRowInput, caller: Caller): Promise<Deleted> {
  return withPresentSchema(() => remove(store, input, caller));
}

async function remove(store: Store, input: DeleteRowInput, caller: Caller): Promise<Deleted> {
  const table = store.registry.resolve(input.table);
  const { rows } = table.open();
  const { result, replayed } = await runWrite<string>(
    {
      table,
      caller,
      op: 'delete',
      input,
      decide: (tx) => removeRow({ tx, rows, schema: table.schema }, input),
    },
    { remember: (id) => id, recall: (kept: JsonValue) => String(kept) },
  );
  return replayed ? { deleted: result, replayed: true } : { deleted: result };
}

/** The step of a command that removes a row; its full id. @throws StoreError as {@link deleteRow}. */
export function removeRow({ tx, rows, schema }: CommandParts, input: DeleteRowInput): string {
  const { id } = liveRow(
    tx,
    resolveId(input.id, (prefix) => rows.idsWithPrefix(prefix)),
    input,
  );
  tx.append(rowDeleted(schema, id));
  return id;
}
