import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aggregate } from '../../src/ops/aggregate.js';
import type { JsonObject, JsonValue } from '../../src/schema/json.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { StoreOf } from '../ops/store-of.js';

const fields = { string: 'a.b', number: 'n"n', boolean: "it's", array: '[0]', object: '$ 😀' } as const;
const schema = `table: t\nfields: ${JSON.stringify(Object.entries(fields).map(([type, name]) => ({ name, type })))}\n`;
const sources = { kind: 'multi', value: ['one', 'two'] };

let opened: StoreOf;
beforeAll(() => {
  opened = new StoreOf(newDir(), { one: schema, two: schema });
});
afterAll(async () => {
  await opened.close();
  removeDir(opened.directory);
});

/** Quarters, so that sums are exact in any order; texts that are no numbers, because those count as numbers in a sum. */
const stored: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(
  null,
  true,
  false,
  1,
  2,
  -3,
  0.25,
  1.5,
  7,
  'a',
  'B',
  '',
  'é',
  '😀',
  '\uffee',
  [],
  ['a', 1],
  { k: true },
);
const name = fc.constantFrom(...Object.values(fields));
const row: fc.Arbitrary<JsonObject> = fc.dictionary(name, stored, { maxKeys: 5 });
const rows = fc.array(row, { maxLength: 12 });
const measure = fc.oneof(
  fc.constant({ kind: 'count' as const }),
  fc.record({ kind: fc.constantFrom('sum', 'avg', 'min', 'max'), field: name }),
);
const filter = fc.option(
  fc.oneof(
    fc.record({ type: fc.constant('eq'), field: fc.constant(fields.boolean), value: fc.boolean() }),
    fc.record({ type: fc.constant('eq'), field: fc.constant(fields.number), value: fc.constantFrom(1, 1.5) }),
    fc.record({ type: fc.constant('eq'), field: fc.constant(fields.string), value: fc.constantFrom('a', '') }),
  ),
);

type Measure = { kind: string; field?: string };
type Cell = null | number | string;

function cell(value: JsonValue | undefined): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

function compare(one: Cell, other: Cell): number {
  const rank = (value: Cell) => (value === null ? 0 : typeof value === 'number' ? 1 : 2);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  if (typeof one === 'number') return one - Number(other);
  return Buffer.compare(Buffer.from(one ?? ''), Buffer.from(String(other ?? '')));
}

function measured({ kind, field = '' }: Measure, of: readonly JsonObject[]): Cell {
  if (kind === 'count') return of.length;
  const cells = of.map((data) => cell(data[field])).filter((value) => value !== null);
  if (cells.length === 0) return null;
  if (kind === 'min' || kind === 'max') return cells.sort(compare).at(kind === 'min' ? 0 : -1) ?? null;
  const sum = cells.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0);
  return kind === 'sum' ? sum : sum / cells.length;
}

function grouped(by: string, inner: Measure | null, of: readonly JsonObject[]): unknown[] {
  const groups = new Map<string, JsonObject[]>();
  for (const data of of) {
    const key = JSON.stringify([cell(data[by]), typeof data[by] === 'boolean']);
    groups.set(key, [...(groups.get(key) ?? []), data]);
  }
  return [...groups]
    .map(([text, members]) => ({ key: JSON.parse(text) as [Cell, boolean], members }))
    .sort((one, other) => compare(one.key[0], other.key[0]) || Number(one.key[1]) - Number(other.key[1]))
    .map(({ key: [key, isBoolean], members }) => ({
      key: isBoolean ? key === 1 : key,
      count: members.length,
      ...(inner === null ? {} : { value: measured(inner, members) }),
    }));
}

function store(table: string, texts: readonly string[]): void {
  const mounted = opened.registry.resolve(table);
  mounted.open();
  const database = new Sqlite(join(mounted.databasePath));
  database.exec('DELETE FROM rows');
  database.close();
  opened.insert(table, texts);
}

const fill = (one: readonly JsonObject[], two: readonly JsonObject[]) => {
  store(
    'one',
    one.map((data) => JSON.stringify(data)),
  );
  store('two', [...two.map((data) => JSON.stringify(data)), 'no json']);
};
const passes = (tested: { field: string; value: JsonValue } | null) => (data: JsonObject) =>
  tested === null || data[tested.field] === tested.value;

describe('aggregates over two tables', () => {
  it('equal those of a plain program', async () => {
    const property = fc.asyncProperty(rows, rows, measure, filter, async (one, two, asked, tested) => {
      fill(one, two);
      const all = [...one, ...two, {}].filter(passes(tested));
      const kind = asked.kind === 'count' ? 'count' : 'value';
      expect(await aggregate(opened.store, { sources, filter: tested, aggregator: asked })).toEqual({
        kind,
        value: measured(asked, all),
      });
    });
    await fc.assert(property, propertyRuns(60));
  });

  it('group as a plain program does', async () => {
    const property = fc.asyncProperty(
      rows,
      rows,
      name,
      fc.option(measure),
      filter,
      async (one, two, by, inner, tested) => {
        fill(one, two);
        const having = tested !== null && tested.field === by ? tested : null;
        const given = having === null ? tested : null;
        const aggregator = { kind: 'group_by', by_field: by, inner, having };
        const all = [...one, ...two, {}].filter(passes(tested));
        expect(await aggregate(opened.store, { sources, filter: given, aggregator })).toEqual({
          kind: 'groups',
          value: grouped(by, inner, all),
        });
      },
    );
    await fc.assert(property, propertyRuns(60));
  });
});
