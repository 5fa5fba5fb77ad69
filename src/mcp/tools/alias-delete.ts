import { z } from 'zod';
import { deleteAlias } from '../../ops/delete-alias.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { aliasName } from './alias-arguments.js';
import { table } from './shared-arguments.js';
import { isObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/DeleteAlias', 1, {
  payload: z.object({ name: aliasName, table }),
  success: wireResult<{ deleted: string }>(isObject, {
    type: 'object',
    properties: { deleted: { type: 'string' } },
    required: ['deleted'],
  }),
}).annotate(Projection.Annotation, {
  name: 'alias_delete',
  title: 'Delete a saved query',
  description: 'Delete a saved query; of two with one name, that of the project.',
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `alias_delete`: a saved query less. */
export const aliasDelete = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  deleteAlias(store, payload, caller),
);
