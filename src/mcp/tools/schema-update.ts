import { z } from 'zod';
import type { DryRun } from '../../ops/schema/schema-arguments.js';
import { type SchemaUpdated, updateSchema } from '../../ops/update-schema.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { definition } from './schema-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/UpdateSchema', 1, {
  payload: z.object(definition),
  success: wireResult<SchemaUpdated | DryRun>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'schema_update',
  title: "Change a table's schema",
  description:
    'Replace the definition of a table, after a backup. Rows stay as they are. dump, history and indexes stay unless given; a title or description left out goes.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `schema_update`: another shape for a table. */
export const schemaUpdate = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  updateSchema(store, payload, caller),
);
