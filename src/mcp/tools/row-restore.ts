import { z } from 'zod';
import { restoreRow } from '../../ops/restore-row.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { expectedVersion, id, idempotencyKey, table } from './shared-arguments.js';
import { row } from './shared-results.js';
import { storeKey } from './store-key.js';

const latest = Number.MAX_SAFE_INTEGER;

/** The arguments. */
export const payload = z.object({
  table,
  id,
  at_unix_secs: z.int().min(-latest).max(latest).describe('State at this time, in Unix seconds').optional(),
  version: z.int().min(0).max(latest).describe('State at this version').optional(),
  expected_version: expectedVersion,
  idempotency_key: idempotencyKey,
});

const contract = Contract.operation('store/RestoreRow', 1, {
  payload,
  success: row,
}).annotate(Projection.Annotation, {
  name: 'row_restore',
  title: 'Restore a row',
  description:
    'Bring a row of a table back to its state at a time or at a version; give exactly one of the two. Works for deleted rows. The restoring is a change of its own, so it can be undone the same way. Needs history: full.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `row_restore`: an earlier state as the newest one. */
export const rowRestore = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  restoreRow(store, payload, caller),
);
