/** Whatever somebody does to `rows` by SQL, and whoever adopts what: nothing is silently kept or lost. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reconcileTable } from '../../src/ops/reconcile-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { predecessorDatabase } from '../helpers/predecessor.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { countingStore, idOf, rowCommand, runCommand } from '../helpers/row-commands.js';
import { caller, ScratchTable } from '../ops/scratch-table.js';

const id = fc.integer({ min: 0, max: 5 }).map(idOf);
const data = fc.constantFrom(
  '{"title":"theirs"}',
  '{"title":"theirs","count":2}',
  '{ "title": "spaced" }',
  ' {"title":"around"}\n',
  '{"title":"big","n":98765432109876543210}',
  '{"title":"it\'\'s"}',
  `{"title":"long","body":"${'So it goes on, and on. '.repeat(10)}"}`,
  'no json',
);
const policy = fc.constantFrom('', 'OR REPLACE', 'OR IGNORE', 'OR ABORT', 'OR FAIL');

/** A statement on `rows` as a database browser, a script or the predecessor would send it. */
const statement = fc.oneof(
  fc
    .tuple(policy, id, data)
    .map(([or, row, text]) => `UPDATE ${or} rows SET data = '${text}', updated_at = 7 WHERE id = '${row}'`),
  fc.tuple(policy, id, id).map(([or, from, to]) => `UPDATE ${or} rows SET id = '${to}' WHERE id = '${from}'`),
  fc
    .tuple(policy, id, data)
    .map(
      ([or, row, text]) =>
        `INSERT ${or} INTO rows (id, data, created_at, updated_at) VALUES ('${row}', '${text}', 3, 4)`,
    ),
  fc.tuple(id, data).map(
    ([row, text]) => `INSERT INTO rows (id, data, created_at, updated_at) VALUES ('${row}', '${text}', 5, 6)
      ON CONFLICT (id) DO UPDATE SET data = excluded.data`,
  ),
  id.map((row) => `DELETE FROM rows WHERE id = '${row}'`),
  fc.constantFrom('DELETE FROM rows', 'UPDATE rows SET updated_at = updated_at + 1', 'UPDATE rows SET data = data'),
);

/** Statements that break a rule of the table fail, as they would for anybody. */
function send(table: ScratchTable, sql: string): void {
  try {
    table.foreign(sql);
  } catch (error) {
    expect(String(error)).toContain('UNIQUE constraint failed: rows.id');
  }
}

async function expectProven(table: ScratchTable): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

const contents = (table: ScratchTable) => table.query('SELECT id, data, created_at, updated_at FROM rows ORDER BY id');

test('foreign writes between commands are recorded as they stand, and then the log proves the rows', async () => {
  const step = fc.oneof({ weight: 1, arbitrary: rowCommand }, { weight: 1, arbitrary: statement });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const table = new ScratchTable();
      try {
        const store = countingStore(table);
        // The rows that statements make may have an id that a command would give next.
        const ids = (made = 100) => ({ ...store, newId: () => idOf(made++) });
        const counted = ids();
        for (const row of [0, 1, 2]) {
          await runCommand(store, {
            op: 'create',
            data: { title: `row ${row}`, body: 'So it goes on, and on. '.repeat(9) },
          });
        }
        for (const each of steps) {
          if (typeof each === 'string') send(table, each);
          else await runCommand(counted, each);
        }
        const before = contents(table);
        await reconcileTable(table.operated, { caller });
        expect(contents(table)).toEqual(before);
        expect(table.database.notedForeignWrites()).toEqual([]);
        await expectProven(table);
      } finally {
        await table.remove();
      }
    }),
    propertyRuns(60),
  );
});

const version = fc.record({ id, data: fc.option(data), op: fc.constantFrom('create', 'update', 'delete') });
const legacyRow = fc.record({
  id: fc.oneof(id, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })),
  data: fc.oneof(data, fc.json({ stringUnit: 'grapheme' })),
  created: fc.integer({ min: 0, max: 2 ** 40 }),
  updated: fc.integer({ min: -5, max: 2 ** 40 }),
});

test('adopting any database of the predecessor loses nothing', async () => {
  const rows = fc.uniqueArray(legacyRow, { selector: (row) => row.id, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(rows, fc.array(version, { maxLength: 12 }), async (found, entries) => {
      const table = new ScratchTable();
      try {
        const old = predecessorDatabase(join(table.directory, 'notes.db'));
        const insert = old.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)');
        for (const row of found) insert.run(row.id, row.data, row.created, row.updated);
        const record = old.prepare(
          `INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json) VALUES ('notes', ?, ?, ?, ?, ?)`,
        );
        const last = new Map<string, number>();
        for (const [at, entry] of entries.entries()) {
          last.set(entry.id, (last.get(entry.id) ?? 0) + 1);
          record.run(entry.id, last.get(entry.id), at, entry.op, entry.data);
        }
        const history = old.prepare('SELECT * FROM _row_history ORDER BY id').all();
        const before = old.prepare('SELECT * FROM rows ORDER BY rowid').all();
        old.close();

        expect(table.database.adoption).toEqual(
          found.length + entries.length === 0 ? null : { rows: found.length, historyEntries: entries.length },
        );
        expect(table.query('SELECT id, data, created_at, updated_at FROM rows ORDER BY rowid')).toEqual(before);
        expect(table.query('SELECT * FROM _row_history ORDER BY id')).toEqual(history);
        await expectProven(table);
        for (const { id: rowId } of found) {
          const changed = await table.update(rowId, { title: 'now ours' }, 'replace');
          expect(changed.version).toBe((last.get(rowId) ?? 0) + 1);
        }
        await expectProven(table);
      } finally {
        await table.remove();
      }
    }),
    propertyRuns(40),
  );
});
