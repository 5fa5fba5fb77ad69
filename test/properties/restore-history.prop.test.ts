import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rebuildTable } from '../../src/ops/rebuild-table.js';
import { parsePoint } from '../../src/ops/replay/point.js';
import { restoreTable } from '../../src/ops/restore-table.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from '../ops/scratch-table.js';

/** What happens to one of three rows; a step that does not fit the row's state is left out. */
const step = fc.record({
  row: fc.nat(2),
  kind: fc.constantFrom('update', 'update', 'update', 'replace', 'delete', 'restore'),
  title: fc.string({ unit: 'grapheme', maxLength: 12 }),
  body: fc.option(fc.string({ maxLength: 200 }), { nil: null }),
  version: fc.nat(30),
  pause: fc.nat(3),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const archive = fc.constantFrom(
  { keepRecent: 16, chunkMin: 48 },
  { keepRecent: 3, chunkMin: 2 },
  { keepRecent: 0, chunkMin: 0 },
);

/** Every state that a row had, by version; null: deleted. */
type States = Map<string, { version: number; data: unknown; createdAt: number }[]>;

class Life {
  readonly ids: string[] = [];
  readonly states: States = new Map();

  constructor(readonly table: ScratchTable) {}

  async begin(): Promise<void> {
    for (let row = 0; row < 3; row++) {
      const id = await this.table.create({ title: `row ${row}` });
      this.ids.push(id);
      this.#remember(id);
    }
  }

  async take({ row, kind, title, body, version, pause }: Step): Promise<void> {
    const id = this.ids[row] ?? '';
    this.table.now += pause * 700;
    const isLive = this.table.database.rows.get(id) !== null;
    const known = this.states.get(id) ?? [];
    if (kind === 'restore') {
      await this.table.restore(id, known[version % known.length]?.version ?? 1);
    } else if (!isLive) return;
    else if (kind === 'delete') await this.table.delete(id);
    else
      await this.table.update(
        id,
        kind === 'update' ? { body } : { title, body },
        kind === 'update' ? 'merge' : 'replace',
      );
    this.#remember(id);
  }

  #remember(id: string): void {
    const state = this.table.database.rows.get(id);
    if (state === null) return;
    const seen = this.states.get(id) ?? [];
    this.states.set(id, [...seen, { version: state.version, data: state.data, createdAt: state.createdAt }]);
  }
}

async function expectProven(table: ScratchTable): Promise<void> {
  const { checks } = await verifyTable(table.operated);
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

const timeout = 120_000;
const runs = { numRuns: 12 };

it(
  'every version of every row can be restored, raw or archived, deleted or not',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), archive, async (steps, limits) => {
        const table = new ScratchTable({ archive: limits });
        try {
          const life = new Life(table);
          await life.begin();
          for (const one of steps) await life.take(one);
          for (const [id, states] of life.states) {
            for (const { version, data, createdAt } of states) {
              await table.restore(id, version);
              expect(table.database.rows.get(id)).toMatchObject({ data, createdAt });
            }
          }
          await expectProven(table);
        } finally {
          await table.remove();
        }
      }),
      runs,
    );
  },
  timeout,
);

it(
  'a table goes back to each of its states, and a rebuild finds nothing to do',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 15 }),
        archive,
        fc.nat(),
        async (steps, limits, pick) => {
          const table = new ScratchTable({ archive: limits });
          try {
            const life = new Life(table);
            await life.begin();
            const then = [{ seq: table.database.head(), contents: table.contents() }];
            for (const one of steps) {
              await life.take(one);
              then.push({ seq: table.database.head(), contents: table.contents() });
            }
            const target = then[pick % then.length];
            await restoreTable(table.operated, { caller, to: parsePoint(String(target?.seq)) });
            expect(table.contents()).toEqual(target?.contents);
            expect((await rebuildTable(table.operated, { caller })).replaced).toEqual([]);
            await expectProven(table);
          } finally {
            await table.remove();
          }
        },
      ),
      runs,
    );
  },
  timeout,
);
