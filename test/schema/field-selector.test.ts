import { describe, expect, it } from 'vitest';
import { parseFieldSelector, project } from '../../src/schema/field-selector.js';
import type { JsonText } from '../../src/schema/json.js';
import type { TableSchema } from '../../src/schema/table-schema.js';
import { invalidity, refusal } from './refusal.js';

const schema: TableSchema = {
  table: 't',
  title: null,
  description: null,
  fields: ['title', 'rank', '__proto__'].map((name) => ({ name, type: 'string', required: false, description: null })),
  dump: null,
  history: 'full',
};
const parse = (input: unknown) => parseFieldSelector(schema, input);

describe('parseFieldSelector', () => {
  it.each([
    ['an unknown field', { mode: 'list', fields: ['title', 'nope'] }, /^nope: unknown field/],
    ['a column', { mode: 'list', fields: ['id'] }, /^id: unknown field/],
    ['another mode', { mode: 'some' }, /^fields\.mode: must be all or list/],
    ['a list without fields', { mode: 'list' }, /^fields\.fields: is required/],
    ['a bare array', ['title'], /^fields: must be \{mode/],
    ['a name that is no string', { mode: 'list', fields: [1] }, /^fields\.fields\[0\]: must be a string/],
    ['a foreign key', { mode: 'all', field: 'x' }, /^fields\.field: unknown key/],
  ])('refuses %s', (_, input, expected) => {
    expect(invalidity(() => parse(input))).toMatch(expected);
  });

  it('suggests the field that was meant', () => {
    expect(refusal('VALIDATION_ERROR', () => parse({ mode: 'list', fields: ['tilte'] })).hint).toMatch(/'title'/);
  });

  it('means everything when absent', () => {
    expect([undefined, null, { mode: 'all' }].map(parse)).toEqual(Array(3).fill({ mode: 'all' }));
  });
});

describe('project', () => {
  const data = '{"rank":12345678901234567890,"extra":1,"title":"x"}' as JsonText;

  it('returns the data untouched for all', () => {
    expect(project(data, parse(undefined))).toBe(data);
  });

  it('has exactly the requested fields in the requested order, once each, null for a missing one', () => {
    const selector = parse({ mode: 'list', fields: ['title', '__proto__', 'rank', 'title'] });
    expect(project(data, selector)).toBe('{"title":"x","__proto__":null,"rank":12345678901234567890}');
    expect(project(data, parse({ mode: 'list', fields: [] }))).toBe('{}');
  });
});
