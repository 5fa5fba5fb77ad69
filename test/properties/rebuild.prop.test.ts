import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from '../ops/scratch-table.js';

const change = fc.record({
  row: fc.nat(3),
  kind: fc.constantFrom('create', 'update', 'update', 'update', 'delete', 'foreign'),
  body: fc.string({ maxLength: 40 }),
});
const limits = fc.constantFrom(
  { keepRecent: 3, chunkMin: 2 },
  { keepRecent: 1, chunkMin: 0 },
  { keepRecent: 16, chunkMin: 48 },
);

async function take(
  table: ScratchTable,
  ids: string[],
  { row, kind, body }: typeof change extends fc.Arbitrary<infer T> ? T : never,
) {
  const id = ids[row % Math.max(ids.length, 1)];
  if (kind === 'create' || id === undefined) ids.push(await table.create({ title: 't', body }));
  else if (kind === 'foreign') {
    const text = JSON.stringify({ title: body }).replaceAll("'", "''");
    table.foreign(`UPDATE rows SET data = '${text}', updated_at = updated_at + 1 WHERE id = '${id}'`);
    await table.update(id, { count: 1 });
  } else if (kind === 'update') await table.update(id, { body });
  else {
    await table.delete(id);
    ids.splice(ids.indexOf(id), 1);
  }
}

const projections = (table: ScratchTable) => ({
  rows: table.query('SELECT * FROM rows ORDER BY rowid'),
  raw: table.query(
    'SELECT table_name, row_id, version, recorded_at, op, data_json FROM _row_history ORDER BY row_id, version',
  ),
  archive: table.query(
    'SELECT table_name, row_id, version_start, version_end, entry_count FROM _row_history_archive ORDER BY row_id, version_start',
  ),
});

it('after every prefix, what was kept up to date equals what is made anew', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 10 }), limits, async (changes, archive) => {
      const table = new ScratchTable({ archive });
      const ids: string[] = [];
      try {
        for (const one of changes) {
          await take(table, ids, one);
          const kept = projections(table);
          expect((await rebuildTable(table.operated, { caller })).replaced).toEqual([]);
          // Made anew even where nothing differs: what stands there is damaged first.
          table.tamper(`UPDATE rows SET data = '{}'; UPDATE _row_history SET data_json = '1'`);
          await rebuildTable(table.operated, { caller });
          expect(projections(table)).toEqual(kept);
        }
        expect((await verifyTable(table.operated)).checks.filter((check) => !check.ok)).toEqual([]);
      } finally {
        await table.remove();
      }
    }),
    { numRuns: 10 },
  );
}, 120_000);
