import { z } from 'zod';
import { describeTable, type TableInfo } from '../../ops/describe-table.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { table } from './shared-arguments.js';
import { isObject, openObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const contract = Contract.operation('store/DescribeTable', 1, {
  payload: z.object({ table }),
  success: wireResult<TableInfo>(isObject, openObject),
}).annotate(Projection.Annotation, {
  name: 'info',
  title: 'Describe a table',
  description:
    'Describe a table: its fields with types, required flags and descriptions, row count, dump and history settings. Call it before the first write to a table. An error without table names the mounted tables.',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

/** `info`: what a caller needs to know to write correctly. */
export const info = Projection.operation(storeKey, contract, (store, payload) => describeTable(store, payload));
