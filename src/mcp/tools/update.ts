import { z } from 'zod';
import { updateRow } from '../../ops/update-row.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { data, expectedVersion, id, idempotencyKey, table } from './shared-arguments.js';
import { row } from './shared-results.js';
import { storeKey } from './store-key.js';

/** The arguments. */
export const payload = z.object({
  table,
  id,
  data,
  mode: z.enum(['merge', 'replace']).describe('Default merge').optional(),
  expected_version: expectedVersion,
  idempotency_key: idempotencyKey,
});

const contract = Contract.operation('store/UpdateRow', 1, {
  payload,
  success: row,
}).annotate(Projection.Annotation, {
  name: 'update',
  title: 'Update a row',
  description:
    'Change one row of a table and return it. Merge keeps the fields that data does not name, and null removes an optional field; nested objects are replaced whole. mode "replace" stores exactly data.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `update`: merge into a row, or replace its data. */
export const update = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  updateRow(store, payload, caller),
);
