import { describe, expect, it } from 'vitest';
import { filterSql, listSql } from '../../../src/projections/rows/list-sql.js';
import { SqliteRowQueries } from '../../../src/projections/rows/sqlite-row-queries.js';
import type { Filter } from '../../../src/schema/filter.js';
import type { OrderBy } from '../../../src/schema/order-by.js';
import { rowsDatabase } from './rows-database.js';

/** The ids of rows `0`, `1`, … with these data that a filter matches. */
function matches(data: readonly string[], filter: Filter): string[] {
  const database = rowsDatabase(data.map((text, index) => ({ id: String(index), data: text })));
  const page = { limit: 1000, offset: 0, filter, orderBy: [{ field: 'id', direction: 'asc', column: true }] as const };
  return new SqliteRowQueries(database).list(page).map((row) => row.id);
}

function sorted(data: readonly string[], orderBy: OrderBy): string {
  const database = rowsDatabase(data.map((text, index) => ({ id: String(index), data: text })));
  const rows = new SqliteRowQueries(database).list({ limit: 1000, offset: 0, orderBy });
  return rows.map((row) => row.id).join('');
}

const oddNames = [
  'a.b',
  'a[0]',
  '[0]',
  'a"b',
  '"',
  '""',
  "a'b",
  "'",
  'a b',
  ' ',
  '😀',
  'ß',
  'a\\b',
  '\\',
  '\\"',
  '\\u0041',
  '__proto__',
  'constructor',
  '$',
  '$.x',
  '#-1',
  'a\nb',
  '\t',
  'a/b',
  '\u2028',
  '\u0001',
  "') OR 1=1 --",
  '?',
  '%',
  '_',
  '-',
  '0',
];

describe('filterSql', () => {
  it('never lets a name or a value into the text', () => {
    const evil = `x"'); DROP TABLE rows; --`;
    const filters: Filter[] = [
      { type: 'eq', field: evil, value: evil },
      { type: 'in', field: evil, values: [evil] },
      { type: 'like', field: evil, pattern: evil },
      { type: 'array_contains', field: evil, value: evil },
      { type: 'array_not_contains', field: evil, value: evil },
    ];
    expect(filterSql({ type: 'or', filters }).sql).not.toContain('DROP');
    expect(listSql({ limit: 1, offset: 0, orderBy: [{ field: evil, direction: 'asc' }] }).sql).not.toContain('DROP');
  });

  it.each(oddNames)('takes the name %j for that member and nothing else', (name) => {
    const decoys = { a: { b: 'v', 0: 'v' }, x: 'v', b: 'v', A: 'v', '': 'v' };
    const hit = JSON.stringify(Object.fromEntries([...Object.entries(decoys), [name, 'v']]));
    const list = JSON.stringify(Object.fromEntries([...Object.entries(decoys), [name, ['v']]]));
    const data = [JSON.stringify(decoys), hit, list];
    expect(matches(data, { type: 'eq', field: name, value: 'v' })).toEqual(['1']);
    expect(matches(data, { type: 'in', field: name, values: ['u', 'v'] })).toEqual(['1']);
    expect(matches(data, { type: 'like', field: name, pattern: 'V%' })).toEqual(['1']);
    expect(matches(data, { type: 'array_contains', field: name, value: 'v' })).toEqual(['2']);
    expect(matches(data, { type: 'array_not_contains', field: name, value: 'v' })).toEqual(['0', '1']);
    const numbered = [2, 3, 1].map((rank) => JSON.stringify(Object.fromEntries([[name, rank]])));
    expect(sorted(numbered, [{ field: name, direction: 'asc' }])).toBe('201');
  });

  const odd = [
    '1',
    '1.0',
    'true',
    'false',
    '0',
    '"1"',
    '"true"',
    'null',
    '[1]',
    '["1"]',
    '[true]',
    '{"a":1}',
    '"[1]"',
    '"no json ["',
  ];
  const data = [...odd.map((value) => `{"x":${value}}`), '{}', '[1]', '5'];
  const values = (filter: Filter) =>
    matches(data, filter)
      .map((id) => odd[Number(id)] ?? data[Number(id)])
      .sort();

  it('never matches across JSON types and never fails on one', () => {
    expect(values({ type: 'eq', field: 'x', value: 1 })).toEqual(['1', '1.0']);
    expect(values({ type: 'eq', field: 'x', value: 0 })).toEqual(['0']);
    expect(values({ type: 'eq', field: 'x', value: true })).toEqual(['true']);
    expect(values({ type: 'eq', field: 'x', value: false })).toEqual(['false']);
    expect(values({ type: 'eq', field: 'x', value: '1' })).toEqual(['"1"']);
    expect(values({ type: 'eq', field: 'x', value: '[1]' })).toEqual(['"[1]"']);
    expect(values({ type: 'in', field: 'x', values: [true, false] })).toEqual(['false', 'true']);
    expect(values({ type: 'in', field: 'x', values: [1, 0] })).toEqual(['0', '1', '1.0']);
    expect(values({ type: 'in', field: 'x', values: ['1', 'true', '[true]'] })).toEqual(['"1"', '"true"']);
    expect(values({ type: 'like', field: 'x', pattern: '%1%' })).toEqual(['"1"', '"[1]"']);
    expect(values({ type: 'array_contains', field: 'x', value: 1 })).toEqual(['[1]']);
    expect(values({ type: 'array_contains', field: 'x', value: true })).toEqual(['[true]']);
    expect(values({ type: 'array_contains', field: 'x', value: '1' })).toEqual(['["1"]']);
    expect(values({ type: 'array_not_contains', field: 'x', value: 1 })).toHaveLength(data.length - 1);
  });

  it('does not take a nested array for its text', () => {
    expect(matches(['{"x":[[1]]}', '{"x":["[1]"]}'], { type: 'array_contains', field: 'x', value: '[1]' })).toEqual([
      '1',
    ]);
  });

  it('compares large integers of older rows digit by digit', () => {
    const big = [
      '{"x":9007199254740993}',
      '{"x":9007199254740992}',
      '{"x":18446744073709551615}',
      '{"x":[9007199254740993]}',
    ];
    expect(matches(big, { type: 'eq', field: 'x', value: 9007199254740992 })).toEqual(['1']);
    expect(matches(big, { type: 'array_not_contains', field: 'x', value: 1 })).toHaveLength(4);
  });

  it('runs the largest filters there may be', () => {
    const leaf: Filter = { type: 'eq', field: 'x', value: 1 };
    const wide: Filter = { type: 'or', filters: Array.from({ length: 999 }, () => leaf) };
    expect(matches(['{"x":1}', '{}'], wide)).toEqual(['0']);
    let deep: Filter = leaf;
    for (let level = 1; level < 32; level++)
      deep = { type: level % 2 ? 'and' : 'or', filters: [...Array(30).fill(leaf), deep] };
    expect(matches(['{"x":1}', '{}'], deep)).toEqual(['0']);
    const many = Array.from({ length: 50_000 }, (_, index) => index + 0.5);
    expect(matches(['{"x":49999.5}', '{"x":1}'], { type: 'in', field: 'x', values: many })).toEqual(['0']);
  });
});

describe('listSql', () => {
  it('serves the default order from the index on created_at, without a sort', () => {
    const database = rowsDatabase();
    const { sql, params } = listSql({ limit: 10, offset: 0 });
    const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...params);
    expect(plan.map((step) => step.detail)).toEqual(['SCAN rows USING INDEX idx_rows_created']);
  });

  it('sorts null and missing, then numbers with booleans as 0 and 1, then strings; ties newest first', () => {
    const data = ['"b"', '2', 'null', '"B"', 'true', '-1', '"a"', '1'].map((value) => `{"x":${value}}`);
    expect(sorted([...data, '{}'], [{ field: 'x', direction: 'asc' }])).toBe('825741360');
    expect(sorted([...data, '{}'], [{ field: 'x', direction: 'desc' }])).toBe('063174582');
  });
});
