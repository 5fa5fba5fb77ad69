import { z } from 'zod';
import { createSchema, type SchemaCreated } from '../../ops/create-schema.js';
import type { DryRun } from '../../ops/schema/schema-arguments.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { definition } from './schema-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/CreateSchema', 1, {
  payload: z.object(definition),
  success: wireResult<SchemaCreated | DryRun>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'schema_create',
  title: 'Create a table',
  description: 'Make a new table by writing its schema.yaml; it can be used at once.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
  output: 'json',
});

/** `schema_create`: a new table. */
export const schemaCreate = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  createSchema(store, payload, caller),
);
