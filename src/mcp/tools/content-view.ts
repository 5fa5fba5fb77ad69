import { z } from 'zod';
import { viewContent } from '../../ops/view-content.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { fieldName, viewRange } from './content-arguments.js';
import { id, table } from './shared-arguments.js';
import { isObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/ViewContent', 1, {
  payload: z.object({ table, id, field: fieldName, view_range: viewRange }),
  success: wireResult<{ content: string }>(isObject, {
    type: 'object',
    properties: { content: { type: 'string' } },
    required: ['content'],
  }),
}).annotate(Projection.Annotation, {
  name: 'content_view',
  title: 'View a text field',
  description:
    'Read one string field of a row as numbered lines, or some of its lines, without fetching the whole row. The numbers are those of content_replace and content_insert.',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `content_view`: numbered lines. */
export const contentView = Projection.operation(storeKey, contract, (store, payload) => viewContent(store, payload));
