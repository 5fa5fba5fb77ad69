import { describe, expect, it } from 'vitest';
import { filterJsonSchema, parseFilter } from '../../src/schema/filter.js';
import { fieldTypes, type TableSchema } from '../../src/schema/table-schema.js';
import { invalidity, refusal } from './refusal.js';

const schema: TableSchema = {
  table: 't',
  title: null,
  description: null,
  fields: [...fieldTypes, 'status'].map((name) => ({
    name,
    type: fieldTypes.find((type) => type === name) ?? 'string',
    required: false,
    description: null,
  })),
  dump: null,
  history: 'full',
};
const parse = (filter: unknown) => parseFilter(schema, filter);
const leaf = { type: 'eq', field: 'string', value: 'x' };

describe('parseFilter', () => {
  it('shows what a filter looks like when one has another shape', () => {
    expect(() => parse({ string: 'x' })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('{"type":"eq","field":"state","value":"open"}') }),
    );
  });

  it.each([
    ['no object', 5, /^filter: must be a filter object/],
    ['an array', [leaf], /^filter: must be a filter object/],
    ['null', null, /^filter: must be a filter object/],
    ['no type', { field: 'string', value: 'x' }, /^filter\.type: must be one of eq, in, like/],
    ['another type', { type: 'gt', field: 'number', value: 1 }, /^filter\.type: must be one of/],
    ['a nested mistake', { type: 'or', filters: [leaf, { type: 'no' }] }, /^filter\.filters\[1\]\.type: /],
    ['a foreign key', { ...leaf, pattern: 'x' }, /^filter\.pattern: /],
    ['no field', { type: 'eq', value: 1 }, /^filter\.field: must be a field name/],
    ['an unknown field', { type: 'eq', field: 'nope', value: 1 }, /^nope: unknown field/],
    ['a column', { type: 'eq', field: 'created_at', value: 1 }, /^created_at: unknown field/],
    ['a null value', { type: 'eq', field: 'string', value: null }, /^string: .*null/],
    ['no value', { type: 'eq', field: 'string' }, /^string: .*null/],
    ['null among values', { type: 'in', field: 'string', values: ['a', null] }, /^string: .*null/],
    ['an object value', { type: 'eq', field: 'string', value: {} }, /^string: .*scalar/],
    ['an array value', { type: 'in', field: 'string', values: [[]] }, /^string: .*scalar/],
    ['another type of value', { type: 'eq', field: 'string', value: 5 }, /^string: type mismatch/],
    ['a boolean for a number', { type: 'eq', field: 'number', value: true }, /^number: type mismatch/],
    ['a number for a boolean', { type: 'eq', field: 'boolean', value: 1 }, /^boolean: type mismatch/],
    ['eq on an array', { type: 'eq', field: 'array', value: 'x' }, /^array: type mismatch.*array_contains/],
    ['eq on an object', { type: 'eq', field: 'object', value: 'x' }, /^object: type mismatch/],
    ['no values', { type: 'in', field: 'string', values: [] }, /^string: .*must not be empty/],
    ['an empty or', { type: 'or', filters: [] }, /^filters: must not be empty/],
    ['an empty and', { type: 'and', filters: [] }, /^filters: must not be empty/],
    ['like on a number', { type: 'like', field: 'number', pattern: '%' }, /^number: .*string/],
    [
      'a pattern that is no string',
      { type: 'like', field: 'string', pattern: 5 },
      /^filter\.pattern: must be a string/,
    ],
    ['a huge pattern', { type: 'like', field: 'string', pattern: 'é'.repeat(25_001) }, /^string: .*longer/],
    ['array_contains on a string', { type: 'array_contains', field: 'string', value: 'x' }, /^string: .*array fields/],
    ['array_contains null', { type: 'array_contains', field: 'array', value: null }, /^array: .*null/],
    ['array_not_contains of an array', { type: 'array_not_contains', field: 'array', value: [] }, /^array: .*scalar/],
    ['digits that were lost', { type: 'eq', field: 'number', value: 2 ** 53 }, /^number: /],
    ['a NUL', { type: 'eq', field: 'string', value: 'a\0' }, /^string: /],
  ])('refuses %s', (_, filter, expected) => {
    expect(invalidity(() => parse(filter))).toMatch(expected);
  });

  it('suggests the field that was meant', () => {
    const error = refusal('VALIDATION_ERROR', () => parse({ type: 'eq', field: 'staus', value: 'x' }));
    expect(error.hint).toMatch(/Did you mean 'status'\?/);
  });

  it('bounds depth and size, a hostile depth included', () => {
    const nested = (depth: number) => {
      let filter: unknown = leaf;
      for (let level = 1; level < depth; level++) filter = { type: 'and', filters: [filter] };
      return filter;
    };
    const wide = (nodes: number) => ({ type: 'or', filters: Array.from({ length: nodes - 1 }, () => leaf) });
    expect(parse(nested(32))).toEqual(nested(32));
    expect(invalidity(() => parse(nested(33)))).toMatch(/^filter: .*32 levels/);
    expect(invalidity(() => parse(nested(200_000)))).toMatch(/^filter: .*32 levels/);
    expect(parse(wide(1000))).toEqual(wide(1000));
    expect(invalidity(() => parse(wide(1001)))).toMatch(/^filter: .*1000 nodes/);
  });

  it.each([
    leaf,
    { type: 'eq', field: 'number', value: 1.5 },
    { type: 'eq', field: 'boolean', value: false },
    { type: 'in', field: 'string', values: ['a', ''] },
    { type: 'like', field: 'string', pattern: '%a_' },
    { type: 'array_contains', field: 'array', value: 5 },
    { type: 'array_not_contains', field: 'array', value: true },
    { type: 'or', filters: [leaf, { type: 'and', filters: [leaf] }] },
  ])('keeps %j as it is, key order included', (filter) => {
    expect(JSON.stringify(parse(filter))).toBe(JSON.stringify(filter));
  });

  it('takes keys that are null for absent ones', () => {
    expect(parse({ ...leaf, values: null, pattern: null, filters: null })).toEqual(leaf);
  });

  it('undoes a value turned into a string only when nothing is lost', () => {
    const value = (field: string, text: string) => parse({ type: 'eq', field, value: text });
    expect(value('number', '8')).toEqual({ type: 'eq', field: 'number', value: 8 });
    expect(value('number', '-1.5')).toMatchObject({ value: -1.5 });
    expect(value('boolean', 'true')).toMatchObject({ value: true });
    expect(value('string', '8')).toMatchObject({ value: '8' });
    expect(parse({ type: 'in', field: 'number', values: ['8', 9] })).toMatchObject({ values: [8, 9] });
    for (const text of ['08', '8.0', '1e3', ' 8', '', '-0', 'NaN', '9007199254740993']) {
      expect(invalidity(() => value('number', text))).toMatch(/type mismatch/);
    }
    for (const text of ['Infinity', '9007199254740992']) {
      expect(invalidity(() => value('number', text))).toMatch(/digits are lost/);
    }
    for (const text of ['1', 'TRUE', '']) expect(invalidity(() => value('boolean', text))).toMatch(/type mismatch/);
  });
});

describe('filterJsonSchema', () => {
  it('is small, bounded and without anything that clients trip over', () => {
    const text = JSON.stringify(filterJsonSchema);
    expect(text.length).toBeLessThan(700);
    expect(text).not.toMatch(/\$ref|"type":\[/);
    expect(filterJsonSchema.properties.type.enum).toHaveLength(7);
  });

  it('has a worked example that is a filter', () => {
    const example = /Example: (.*)$/.exec(filterJsonSchema.description)?.[1] ?? '';
    const titled = {
      ...schema,
      fields: [...schema.fields, { name: 'title', type: 'string' as const, required: false, description: null }],
    };
    expect(() => parseFilter(titled, JSON.parse(example))).not.toThrow();
  });
});
