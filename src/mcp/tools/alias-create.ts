import { z } from 'zod';
import { createAlias } from '../../ops/create-alias.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { aliasName, likeList, limit, openObject } from './alias-arguments.js';
import { table } from './shared-arguments.js';
import { isObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/CreateAlias', 1, {
  payload: z.object({
    name: aliasName,
    table,
    filter: openObject.optional(),
    filter_template: z.string().optional(),
    params_schema: z.array(z.string()).optional(),
    sources: openObject.describe('Instead of table: {"kind":"pattern","value":"log_*"}').optional(),
    aggregator: openObject.optional(),
    default_limit: limit,
    limit,
    description: z.string().optional(),
    scope: z.enum(['project', 'user']).optional(),
    ...likeList,
  }),
  success: wireResult<{ created: string }>(isObject, {
    type: 'object',
    properties: { created: { type: 'string' } },
    required: ['created'],
  }),
}).annotate(Projection.Annotation, {
  name: 'alias_create',
  title: 'Save a query',
  description:
    'Save a query for alias_run: filter, or filter_template (MiniJinja) {"type":"eq","field":"f","value":"{{ v }}"} with params_schema ["v"].',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
  output: 'json',
});

/** `alias_create`: a query under a name. */
export const aliasCreate = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  createAlias(store, payload, caller),
);
