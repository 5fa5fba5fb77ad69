import { z } from 'zod';
import { type BatchResult, runBatch } from '../../ops/run-batch.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { dryRun } from './schema-arguments.js';
import { idempotencyKey, table } from './shared-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const mostOps = 10_000;

const contract = Contract.operation('store/RunBatch', 1, {
  payload: z.object({
    table,
    ops: z
      .array(z.unknown())
      .max(mostOps)
      .meta({ items: { type: 'object', properties: { op: { type: 'string' } }, required: ['op'] } }),
    dry_run: dryRun,
    idempotency_key: idempotencyKey,
  }),
  success: wireResult<BatchResult>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'schema_batch',
  title: 'Run a batch',
  description:
    'Run ops on one table, all or none. Each op is {op, table?, …}: schema_create or schema_update {scope, fields, …}, schema_delete {scope}, data_insert {data}, data_update {id, data, mode?, expected_version?}, data_delete {id}, replace {match, items} (deletes rows that match, adds items), query {sql, params?} (one statement on rows(id, data, created_at, updated_at)).',
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
  output: 'json',
});

/** `schema_batch`: several ops as one change. */
export const schemaBatch = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  runBatch(store, payload, caller),
);
