import { describe, expect, it } from 'vitest';
import { parseOrderBy } from '../../src/schema/order-by.js';
import type { TableSchema } from '../../src/schema/table-schema.js';
import { invalidity, refusal } from './refusal.js';

const schemaOf = (...names: string[]): TableSchema => ({
  table: 't',
  title: null,
  description: null,
  fields: names.map((name) => ({ name, type: 'string', required: false, description: null })),
  dump: null,
  history: 'full',
});
const parse = (input: unknown) => parseOrderBy(schemaOf('title', 'rank'), input);

describe('parseOrderBy', () => {
  it.each([
    ['no array', { field: 'title' }, /^order_by: must be an array/],
    ['nothing', [], /^order_by: must not be empty/],
    ['an unknown field', [{ field: 'nope' }], /^nope: unknown field/],
    ['SQL', [{ field: "x') --" }], /unknown field/],
    ['another direction', [{ field: 'title', direction: 'DESC' }], /^order_by\[0\]\.direction: must be asc or desc/],
    ['a misspelt key', [{ field: 'title', dir: 'desc' }], /^order_by\[0\]\.dir: unknown key/],
    ['a name alone', ['title'], /^order_by\[0\]: must be an object/],
    ['too many keys', Array.from({ length: 65 }, () => ({ field: 'title' })), /^order_by: .*64/],
  ])('refuses %s', (_, input, expected) => {
    expect(invalidity(() => parse(input))).toMatch(expected);
  });

  it('suggests the field that was meant', () => {
    expect(refusal('VALIDATION_ERROR', () => parse([{ field: 'updatd_at' }])).hint).toMatch(/'updated_at'/);
  });

  it('keeps the order of keys and defaults to ascending', () => {
    expect(
      parse([{ field: 'rank', direction: 'desc' }, { field: 'title' }, { field: 'title', direction: null }]),
    ).toEqual([
      { field: 'rank', direction: 'desc' },
      { field: 'title', direction: 'asc' },
      { field: 'title', direction: 'asc' },
    ]);
  });

  it('knows the columns, but a declared field of the same name wins', () => {
    expect(parse([{ field: 'created_at' }])).toEqual([{ field: 'created_at', direction: 'asc', column: true }]);
    expect(parseOrderBy(schemaOf('id'), [{ field: 'id' }])).toEqual([{ field: 'id', direction: 'asc' }]);
  });
});
