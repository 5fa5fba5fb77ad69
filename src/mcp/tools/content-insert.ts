import { z } from 'zod';
import { type Inserted, insertContent } from '../../ops/insert-content.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { fieldName, line } from './content-arguments.js';
import { expectedVersion, id, idempotencyKey, table } from './shared-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/InsertContent', 1, {
  payload: z.object({
    table,
    id,
    field: fieldName,
    line,
    content: z.string(),
    expected_version: expectedVersion,
    idempotency_key: idempotencyKey,
  }),
  success: wireResult<Inserted>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'content_insert',
  title: 'Insert into a text field',
  description:
    'Insert one or more lines into a string field after the given line of content_view: 0 is before the first, the last one appends.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
  output: 'json',
});

/** `content_insert`: new lines in a long text. */
export const contentInsert = Projection.operation(storeKey, contract, (store, payload, { caller }) =>
  insertContent(store, payload, caller),
);
