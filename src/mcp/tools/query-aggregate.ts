import { z } from 'zod';
import { type Aggregated, aggregate } from '../../ops/aggregate.js';
import { measureKinds } from '../../schema/aggregator.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const text = { type: 'string' };

/** Values that the op parses; only their published form is known here. */
const sources = z.unknown().meta({
  type: 'object',
  properties: {
    kind: { type: 'string', enum: ['single', 'multi'] },
    value: { anyOf: [text, { type: 'array', items: text }] },
  },
});
const aggregator = z.unknown().meta({
  type: 'object',
  properties: {
    kind: { type: 'string', enum: [...measureKinds, 'group_by'] },
    field: text,
    by_field: text,
    inner: { ...openObject, description: 'Aggregator per group' },
    having: { ...openObject, description: 'Filter on by_field' },
  },
  required: ['kind'],
});
const filter = z.unknown().meta({ ...openObject, description: 'As in list' });

const contract = Contract.operation('store/Aggregate', 1, {
  payload: z.object({ sources, filter: filter.optional(), aggregator }),
  success: wireResult<Aggregated>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'query_aggregate',
  title: 'Count, sum, group',
  description:
    'Count, sum or group the rows of one table, or of up to 10 with the same fields: sources {"kind":"single","value":"t"}. {"kind":"group_by","by_field":"tag","inner":{"kind":"sum","field":"n"}} returns key, count and value per group.',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `query_aggregate`: numbers instead of rows. */
export const queryAggregate = Projection.operation(storeKey, contract, (store, payload) => aggregate(store, payload));
