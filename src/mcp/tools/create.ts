import { z } from 'zod';
import { createRow } from '../../ops/create-row.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { data, idempotencyKey, newRowVersion, table } from './shared-arguments.js';
import { row } from './shared-results.js';
import { storeKey } from './store-key.js';

/** The arguments. */
export const payload = z.object({
  table,
  data,
  expected_version: newRowVersion,
  idempotency_key: idempotencyKey,
});

const contract = Contract.operation('store/CreateRow', 1, {
  payload,
  success: row,
}).annotate(Projection.Annotation, {
  name: 'create',
  title: 'Create a row',
  description:
    'Add one row to a table and return it with its new id and version. data must have every required field with the right type; call info for the fields. Every call makes a new row unless idempotency_key is given.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
  output: 'json',
});

/** `create`: one new row. */
export const create = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  createRow(store, payload, caller),
);
