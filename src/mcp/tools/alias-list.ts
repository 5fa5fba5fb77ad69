import { z } from 'zod';
import { listAliases } from '../../ops/list-aliases.js';
import type { AliasView } from '../../ops/stored-alias.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { table } from './shared-arguments.js';
import { openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/ListAliases', 1, {
  payload: z.object({ table }),
  success: wireResult<readonly AliasView[]>(Array.isArray, { type: 'array', items: openObject }),
}).annotate(Projection.Annotation, {
  name: 'alias_list',
  title: 'List saved queries',
  description: 'List the saved queries with filter, params and scope; with table only those that read it.',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `alias_list`: what alias_run can run. */
export const aliasList = Projection.operation(storeKey, contract, (store, payload) => listAliases(store, payload));
