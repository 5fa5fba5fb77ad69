import { expect, it } from 'vitest';
import { createRow } from '../../src/ops/create-row.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { ScratchTable } from './scratch-table.js';

it('an actor that is no valid Unicode leaves a chain that holds, over what is stored of it', async () => {
  const table = new ScratchTable();
  const odd = { actor: 'agent \ud800', origin: { tool: 'create', client: 'x \udfff', session: 's' } };
  await createRow(table.store, { data: { title: 'a' } }, odd);
  expect((await verifyTable(table.operated)).ok).toBe(true);
  expect(table.query('SELECT actor FROM _events')).toEqual([{ actor: 'agent \ufffd' }]);
  await table.remove();
});
