import { z } from 'zod';
import { reloadTables } from '../../ops/reload-tables.js';
import type { Reloaded } from '../../tables/table.js';
import { Contract } from '../contract.js';
import { Projection } from '../projection.js';
import { isObject, wireResult } from './shared-results.js';
import { storeKey } from './store-key.js';

const names = { type: 'array', items: { type: 'string' } };

const contract = Contract.operation('store/ReloadTables', 1, {
  payload: z.object({}),
  success: wireResult<Reloaded>(isObject, {
    type: 'object',
    properties: { mounted: { type: 'integer', minimum: 0, maximum: 100_000 }, added: names, removed: names },
    required: ['mounted', 'added', 'removed'],
  }),
}).annotate(Projection.Annotation, {
  name: 'reload',
  title: 'Reload the tables',
  description:
    'Scan the table directories again after a schema.yaml was added, edited or removed by hand. Returns how many tables are mounted, which were added and removed, and which failed and why. The schema tools reload by themselves.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
  output: 'json',
});

/** `reload`: mount what the directories hold now. */
export const reload = Projection.operation(storeKey, contract, (store) => reloadTables(store));
