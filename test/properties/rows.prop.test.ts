/** Any commands, by whatever callers: the ops answer as a naive model does, and the log proves what the tables show. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listRows } from '../../src/ops/list-rows.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { encodeJson } from '../../src/schema/json.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { countingStore, type RowCommand, RowModel, rowCommand, runCommand } from '../helpers/row-commands.js';
import { type ScratchOptions, ScratchTable } from '../ops/scratch-table.js';

const archive = fc.constantFrom(
  { keepRecent: 16, chunkMin: 48 },
  { keepRecent: 1, chunkMin: 1 },
  { keepRecent: 0, chunkMin: 0 },
);

async function withTable<T>(options: ScratchOptions, use: (table: ScratchTable) => Promise<T>): Promise<T> {
  const table = new ScratchTable(options);
  try {
    return await use(table);
  } finally {
    await table.remove();
  }
}

async function expectProven(table: ScratchTable): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

/** Every row of every table of the file. */
function dump(table: ScratchTable): Record<string, unknown[]> {
  const names = table.query(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`) as { name: string }[];
  return Object.fromEntries(names.map(({ name }) => [name, table.query(`SELECT * FROM "${name}"`)]));
}

const second = 1000;

test('the ops answer as a naive model does, one command after the other', async () => {
  const step = fc.tuple(rowCommand, fc.constantFrom(0, second));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), archive, async (steps, limits) => {
      await withTable({ archive: limits }, async (table) => {
        const store = countingStore(table);
        const model = new RowModel();
        for (const [command, pause] of steps) {
          table.now += pause;
          expect(await runCommand(store, command)).toBe(model.run(command, Math.floor(table.now / second)));
        }
        const listed = await listRows(store, { limit: 1000 });
        expect(listed.map((row) => encodeJson(row))).toEqual(model.list());
        await expectProven(table);
      });
    }),
    propertyRuns(40),
  );
});

/** What remains of a table when nobody asks which commands shared a commit. */
function outcome(table: ScratchTable): unknown {
  return {
    rows: table.query('SELECT * FROM rows ORDER BY rowid'),
    events: table.query(
      'SELECT seq, row_id, row_version, type, body, idempotency_key, outcome FROM _events ORDER BY seq',
    ),
  };
}

async function histories(table: ScratchTable): Promise<unknown[]> {
  const ids = table.query('SELECT DISTINCT row_id AS id FROM _events ORDER BY 1') as { id: string }[];
  const lists = await Promise.all(ids.map(({ id }) => table.database.history.list(id)));
  return lists.flat().map(({ id: _, ...entry }) => entry);
}

test('commands that share commits leave what they leave one by one', async () => {
  const group = fc.array(rowCommand.filter(isDecidedInside), { minLength: 1, maxLength: 12 });
  const batches = fc.array(group, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(batches, archive, async (together, limits) => {
      const run = async (groups: readonly (readonly RowCommand[])[]) =>
        withTable({ archive: limits }, async (table) => {
          const store = countingStore(table);
          const answers: string[] = [];
          for (const group of groups) {
            answers.push(...(await Promise.all(group.map((each) => runCommand(store, each)))));
          }
          await expectProven(table);
          return { answers, ...(outcome(table) as object), history: await histories(table) };
        });
      expect(await run(together)).toEqual(await run(together.flat().map((command) => [command])));
    }),
    propertyRuns(25),
  );
});

/** A restoration looks into the history before its turn comes, so it may miss what is in the queue before it. */
function isDecidedInside({ op }: RowCommand): boolean {
  return op !== 'restore';
}

test('a command sent again with its key changes nothing and is answered as the first time', async () => {
  const again = fc.array(fc.nat(), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(rowCommand, { minLength: 1, maxLength: 15 }),
      again,
      fc.boolean(),
      async (commands, picks, reopen) => {
        await withTable({}, async (table) => {
          const store = countingStore(table);
          const answers: string[] = [];
          for (const [at, command] of commands.entries()) answers.push(await runCommand(store, command, `key ${at}`));
          if (reopen) await table.close();
          for (const pick of picks) {
            const at = pick % commands.length;
            const command = commands[at] ?? commands[0];
            const first = answers[at] ?? '';
            if (command === undefined || !first.startsWith('{')) continue;
            const before = dump(table);
            expect(await runCommand(store, command, `key ${at}`)).toBe(first.replace(/\}$/, ',"replayed":true}'));
            const other: RowCommand = { op: 'create', data: { title: 'another', at } };
            expect(await runCommand(store, other, `key ${at}`)).toBe('IDEMPOTENCY_CONFLICT');
            expect(dump(table)).toEqual(before);
          }
        });
      },
    ),
    propertyRuns(25),
  );
});

test('a command that is refused leaves no trace in any table', async () => {
  const sets = fc.array(rowCommand, { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(sets, archive, async (commands, limits) => {
      await withTable({ archive: limits }, async (table) => {
        const store = countingStore(table);
        await runCommand(store, { op: 'create', data: { title: 'first' } });
        for (const command of commands) {
          const before = dump(table);
          const answer = await runCommand(store, command);
          if (!answer.startsWith('{')) expect(dump(table)).toEqual(before);
        }
      });
    }),
    propertyRuns(20),
  );
});
