import { z } from 'zod';
import { type SnapshotPreview, type SnapshotResult, snapshotTables } from '../../ops/snapshot-tables.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { table } from './shared-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/SnapshotTables', 1, {
  payload: z.object({
    table,
    scope: z
      .string()
      .meta({ enum: ['project', 'user'] })
      .optional(),
    dry_run: z.boolean().describe('Show what would happen').optional(),
    upload: z.boolean().describe('Also send to the S3 bucket of the environment').optional(),
  }),
  success: wireResult<SnapshotResult | SnapshotPreview>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'data_snapshot',
  title: 'Snapshot tables',
  description:
    'Copy the database of one table, or of all tables, to _snapshots/<table>.<unix_secs>.db while it stays in use. Old copies beyond the retention are removed. Failed uploads are listed in upload_errors; the local copies stand.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
  output: 'json',
});

/** `data_snapshot`: copies of tables as they are now. */
export const dataSnapshot = Projection.operation(storeKey, contract, (store, payload, { signal }) =>
  snapshotTables(store, payload, signal),
);
