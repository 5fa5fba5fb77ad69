import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SqliteRowQueries } from '../../src/projections/rows/sqlite-row-queries.js';
import { type Filter, parseFilter } from '../../src/schema/filter.js';
import type { JsonValue } from '../../src/schema/json.js';
import { parseOrderBy } from '../../src/schema/order-by.js';
import { type FieldType, fieldTypes, type TableSchema } from '../../src/schema/table-schema.js';
import { insertRows, rowsDatabase } from '../projections/rows/rows-database.js';
import { invalidity } from '../schema/refusal.js';

const names: Record<FieldType, string> = {
  string: 'a.b',
  number: 'n"n',
  boolean: "it's",
  array: '[0]',
  object: '😀 \\',
};
const schema: TableSchema = {
  table: 't',
  title: null,
  description: null,
  fields: fieldTypes.map((type) => ({ name: names[type], type, required: false, description: null })),
  dump: null,
  history: 'full',
};

const strings = fc.constantFrom(
  '',
  'a',
  'A',
  'ab',
  'é',
  'É',
  '1',
  'true',
  '[1]',
  '%',
  '_',
  'a%b',
  '["a"]',
  'no json [',
  '\\',
);
const numbers = fc.constantFrom(0, 1, -1, 1.5, 2, 9007199254740991, 1e-7);
const scalars = fc.oneof(strings, numbers, fc.boolean());
const stored: fc.Arbitrary<JsonValue> = fc.oneof(
  scalars,
  fc.constant(null),
  fc.array(fc.oneof(scalars, fc.constantFrom<JsonValue>(null, [1], ['a'], { a: 1 })), { maxLength: 3 }),
  fc.dictionary(strings, scalars, { maxKeys: 2 }),
);
const allNames = Object.values(names);
const rows = fc.array(
  fc
    .array(fc.tuple(fc.constantFrom(...allNames, 'a', 'b', 'n'), stored), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
  { maxLength: 12 },
);

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ type: fc.constant('eq' as const), field: fc.constant(names.string), value: strings }),
  fc.record({ type: fc.constant('eq' as const), field: fc.constant(names.number), value: numbers }),
  fc.record({ type: fc.constant('eq' as const), field: fc.constant(names.boolean), value: fc.boolean() }),
  fc.record({
    type: fc.constant('in' as const),
    field: fc.constant(names.string),
    values: fc.array(strings, { minLength: 1 }),
  }),
  fc.record({
    type: fc.constant('in' as const),
    field: fc.constant(names.number),
    values: fc.array(numbers, { minLength: 1 }),
  }),
  fc.record({
    type: fc.constant('in' as const),
    field: fc.constant(names.boolean),
    values: fc.array(fc.boolean(), { minLength: 1 }),
  }),
  fc.record({
    type: fc.constant('like' as const),
    field: fc.constant(names.string),
    pattern: fc.oneof(strings, fc.constantFrom('%a%', 'A_', '_%')),
  }),
  fc.record({
    type: fc.constantFrom('array_contains' as const, 'array_not_contains' as const),
    field: fc.constant(names.array),
    value: scalars,
  }),
);
const { tree } = fc.letrec<{ tree: Filter }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.record({
      type: fc.constantFrom('and' as const, 'or' as const),
      filters: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));

/** What a filter means, said on parsed values. */
function holds(filter: Filter, row: ReadonlyMap<string, JsonValue>): boolean {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((child) => holds(child, row));
    case 'or':
      return filter.filters.some((child) => holds(child, row));
    case 'eq':
      return row.get(filter.field) === filter.value;
    case 'in':
      return filter.values.some((value) => row.get(filter.field) === value);
    case 'like':
      return like(row.get(filter.field), filter.pattern);
    case 'array_contains':
      return contains(row.get(filter.field), filter.value);
    case 'array_not_contains':
      return !contains(row.get(filter.field), filter.value);
  }
}

function contains(held: JsonValue | undefined, value: JsonValue): boolean {
  return Array.isArray(held) && held.includes(value);
}

function like(held: JsonValue | undefined, pattern: string): boolean {
  if (typeof held !== 'string') return false;
  const source = [...pattern].map((c) =>
    c === '%'
      ? '.*'
      : c === '_'
        ? '.'
        : /[a-z]/i.test(c)
          ? `[${c.toLowerCase()}${c.toUpperCase()}]`
          : `\\u{${c.codePointAt(0)?.toString(16)}}`,
  );
  return new RegExp(`^${source.join('')}$`, 'su').test(held);
}

describe('filters', () => {
  it('are refused for any field the schema does not have', () => {
    fc.assert(
      fc.property(leaf, fc.string(), (filter, field) => {
        fc.pre(!allNames.includes(field));
        expect(invalidity(() => parseFilter(schema, { ...filter, field }))).toBe(`${field}: unknown field`);
      }),
    );
  });

  it('select what the naive evaluator selects, over stored values of every type', () => {
    const database = rowsDatabase();
    const queries = new SqliteRowQueries(database);
    const orderBy = parseOrderBy(schema, [{ field: 'id' }]);
    fc.assert(
      fc.property(rows, tree, (data, filter) => {
        database.exec('DELETE FROM rows');
        insertRows(
          database,
          data.map((row, index) => ({ id: String(index).padStart(2, '0'), data: JSON.stringify(row) })),
        );
        const parsed = parseFilter(schema, JSON.parse(JSON.stringify(filter)));
        const selected = queries.list({ limit: 1000, offset: 0, filter: parsed, orderBy }).map((row) => row.id);
        const expected = data.flatMap((row, index) =>
          holds(filter, new Map(Object.entries(row))) ? [String(index).padStart(2, '0')] : [],
        );
        expect(selected).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });
});
