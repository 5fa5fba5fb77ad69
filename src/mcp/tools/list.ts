import { z } from 'zod';
import { listRows } from '../../ops/list-rows.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { fields, filter, orderBy, table } from './shared-arguments.js';
import { rows } from './shared-results.js';
import { storeKey } from './store-key.js';

/** The largest count that clients of the predecessor can send. More than a page is clamped by the op, not refused. */
const maxCount = 4_294_967_295;
const count = z.int().min(0).max(maxCount);

/** The arguments. */
export const payload = z.object({
  table,
  filter,
  fields,
  order_by: orderBy,
  limit: count.meta({ maximum: 1_000 }).optional(),
  offset: count.optional(),
});

const contract = Contract.operation('store/ListRows', 1, {
  payload,
  success: rows,
}).annotate(Projection.Annotation, {
  name: 'list',
  title: 'List rows',
  description:
    'Find rows of a table, newest first. Page with limit (default 100) and offset. Filter: {"type":"eq","field":"open","value":true}',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `list`: rows by filter, a page at a time. */
export const list = Projection.operation(storeKey, contract, (store, payload) => listRows(store, payload));
