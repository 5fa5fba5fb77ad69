import { z } from 'zod';
import { deleteSchema, type SchemaDeleted } from '../../ops/delete-schema.js';
import type { DryRun } from '../../ops/schema/schema-arguments.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { dryRun, scope, tableName } from './schema-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/DeleteSchema', 1, {
  payload: z.object({ table: tableName, scope, dry_run: dryRun }),
  success: wireResult<SchemaDeleted | DryRun>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'schema_delete',
  title: 'Delete a table',
  description:
    'Unregister a table: schema.yaml moves to the backups, the database file stays. schema_create under the same name finds its rows again.',
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
  output: 'json',
});

/** `schema_delete`: a table out of the registry. */
export const schemaDelete = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  deleteSchema(store, payload, caller),
);
