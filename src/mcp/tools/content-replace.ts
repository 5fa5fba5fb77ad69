import { z } from 'zod';
import { type Replaced, replaceContent } from '../../ops/replace-content.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { fieldName, viewRange } from './content-arguments.js';
import { expectedVersion, id, idempotencyKey, table } from './shared-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/ReplaceContent', 1, {
  payload: z.object({
    table,
    id,
    field: fieldName,
    old_str: z.string(),
    new_str: z.string(),
    view_range: viewRange,
    replace_all: z.boolean().optional(),
    expected_version: expectedVersion,
    idempotency_key: idempotencyKey,
  }),
  success: wireResult<Replaced>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'content_replace',
  title: 'Replace in a text field',
  description:
    'Replace old_str by new_str in one string field. It must occur exactly once, in the lines [start,end] of view_range if given, unless replace_all is true.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
  output: 'json',
});

/** `content_replace`: a small edit of a long text. */
export const contentReplace = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  replaceContent(store, payload, caller),
);
