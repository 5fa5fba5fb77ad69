import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { reconcileTable } from '../../src/ops/reconcile-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { PredecessorWrites } from '../helpers/predecessor-writes.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { caller, ScratchTable } from '../ops/scratch-table.js';

const archive = { keepRecent: 3, chunkMin: 2 };
const ids = ['one', 'two'];

const step = fc.record({
  who: fc.constantFrom('ours', 'theirs', 'theirs'),
  op: fc.constantFrom('put', 'put', 'put', 'put', 'delete', 'restore', 'reconcile'),
  id: fc.constantFrom(...ids),
});

test('whatever both programs do in turns, nothing of the history is lost and all of it is proven', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 50 }), async (steps) => {
      const table = new ScratchTable({ archive });
      table.database.head();
      const theirs = new PredecessorWrites(table.path, 'notes', archive);
      try {
        let count = 0;
        for (const { who, op, id } of steps) {
          count++;
          const exists = table.query('SELECT 1 FROM rows WHERE id = ?', id).length > 0;
          const data = { title: id, count };
          if (op === 'reconcile') await reconcileTable(table.operated, { caller });
          else if (who === 'theirs' && op === 'delete') {
            if (exists) await theirs.delete(id, count);
          } else if (who === 'theirs') await theirs[exists ? 'update' : 'create'](id, data, count);
          else if (op === 'restore') await table.restore(id, 1).catch(() => undefined);
          else if (exists) await (op === 'delete' ? table.delete(id) : table.update(id, data));
        }
        await reconcileTable(table.operated, { caller });
        const { checks } = await verifyTable(table.operated);
        expect(checks.filter((check) => !check.ok)).toEqual([]);
        for (const id of ids) {
          const versions = (await table.database.history.list(id)).map((entry) => entry.version);
          expect(versions).toEqual([...versions].sort((a, b) => a - b));
        }
        const { replaced } = await rebuildTable(table.operated, { caller });
        expect(replaced).toEqual([]);
      } finally {
        theirs.close();
        await table.remove();
      }
    }),
    propertyRuns(40),
  );
}, 60_000);
