import { z } from 'zod';
import { getRow } from '../../ops/get-row.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { fields, id, table } from './shared-arguments.js';
import { row } from './shared-results.js';
import { storeKey } from './store-key.js';

/** The arguments. */
export const payload = z.object({ table, id, fields });

const contract = Contract.operation('store/GetRow', 1, {
  payload,
  success: row,
}).annotate(Projection.Annotation, {
  name: 'get',
  title: 'Get a row',
  description:
    'Read one row of a table by its id or a unique prefix of it. A prefix that several rows have answers AMBIGUOUS_ID with the candidates. fields {"mode":"list","fields":["title"]} returns only those.',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `get`: one row. */
export const get = Projection.operation(storeKey, contract, (store, payload) => getRow(store, payload));
