import { z } from 'zod';
import type { Aggregated } from '../../ops/aggregate.js';
import { runAlias } from '../../ops/run-alias.js';
import type { RowRecord } from '../../ops/store.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { aliasName, count, likeList, limit, openObject } from './alias-arguments.js';
import { table } from './shared-arguments.js';
import { openObject as anyObject, isObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/RunAlias', 1, {
  payload: z.object({
    name: aliasName,
    table,
    params: openObject.optional(),
    limit,
    offset: count.optional(),
    ...likeList,
  }),
  success: wireResult<readonly RowRecord[] | Aggregated>((value) => Array.isArray(value) || isObject(value), {
    anyOf: [{ type: 'array', items: anyObject }, anyObject],
  }),
}).annotate(Projection.Annotation, {
  name: 'alias_run',
  title: 'Run a saved query',
  description:
    'Run a saved query: rows as in list, or the result of its aggregator. limit, fields and order_by replace the saved ones; params are the values of a template.',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `alias_run`: a saved query again. */
export const aliasRun = Projection.operation(storeKey, contract, (store, payload) => runAlias(store, payload));
