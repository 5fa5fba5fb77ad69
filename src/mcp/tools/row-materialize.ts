import { z } from 'zod';
import { type Materialized, materializeRows } from '../../ops/materialize-rows.js';
import { materializeFormats } from '../../ops/materialized-text.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { fields, table } from './shared-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

/** The op parses it; only its published form is known here. */
const selector = z.unknown().meta({
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['by_id', 'by_filter'] },
    id: { type: 'string' },
    filter: { ...openObject, description: 'As in list' },
    limit: { type: 'number' },
    offset: { type: 'number' },
  },
});

const contract = Contract.operation('store/MaterializeRows', 1, {
  payload: z.object({
    table,
    selector,
    fields: fields.unwrap(),
    format: z.enum(materializeFormats),
    dest: z.string().describe('Absolute path'),
    concat: z.boolean().optional(),
    write_mode: z.enum(['overwrite', 'error']).optional(),
    dry_run: z.boolean().optional(),
  }),
  success: wireResult<Materialized>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'row_materialize',
  title: 'Write rows to files',
  description:
    'Write rows to files on the server: one per row in the directory dest, or all in the file dest with concat. Existing files are overwritten unless write_mode is error. Returns path, bytes and sha256 of each.',
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `row_materialize`: rows as files. */
export const rowMaterialize = Projection.operation(storeKey, contract, (store, payload) =>
  materializeRows(store, payload),
);
