import { z } from 'zod';
import { deleteRow } from '../../ops/delete-row.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { expectedVersion, id, idempotencyKey, table } from './shared-arguments.js';
import { isObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

/** The arguments. */
export const payload = z.object({ table, id, expected_version: expectedVersion, idempotency_key: idempotencyKey });

const contract = Contract.operation('store/DeleteRow', 1, {
  payload,
  success: wireResult<{ deleted: string; replayed?: true }>(isObject, {
    type: 'object',
    properties: { deleted: { type: 'string' } },
    required: ['deleted'],
  }),
}).annotate(Projection.Annotation, {
  name: 'delete',
  title: 'Delete a row',
  description:
    'Delete one row of a table and return {"deleted": id} with the full id. The row can be brought back with row_restore while the table keeps history.',
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `delete`: one row less. Named apart from the reserved word. */
export const remove = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  deleteRow(store, payload, caller),
);
