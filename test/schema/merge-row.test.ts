import { describe, expect, it } from 'vitest';
import { type JsonText, joinMembers, splitMembers } from '../../src/schema/json.js';
import { mergeRow } from '../../src/schema/merge-row.js';
import type { TableSchema } from '../../src/schema/table-schema.js';
import { invalidity } from './refusal.js';

const schema: TableSchema = {
  table: 't',
  title: null,
  description: null,
  fields: [
    { name: 'title', type: 'string', required: true, description: null },
    { name: 'count', type: 'number', required: false, description: null },
    { name: 'meta', type: 'object', required: false, description: null },
  ],
  dump: null,
  history: 'full',
};
const stored = () =>
  splitMembers('{"title":"a","zz":12345678901234567890,"meta":{"x":1,"y":2},"count":1.0}' as JsonText);
const merge = (patch: unknown) => joinMembers(mergeRow(schema, stored(), patch));

describe('mergeRow', () => {
  it.each([[[1]], [5], ['text'], [null]])('refuses the patch %j as (root)', (patch) => {
    expect(invalidity(() => merge(patch))).toMatch(/^\(root\): /);
  });

  it('refuses null on a required field', () => {
    expect(invalidity(() => merge({ title: null }))).toBe('title: required field cannot be deleted via null');
  });

  it('validates the merged row: a field that became required must come with the patch', () => {
    const grown = {
      ...schema,
      fields: [...schema.fields, { name: 'new', type: 'string' as const, required: true, description: null }],
    };
    expect(invalidity(() => mergeRow(grown, stored(), { count: 2 }))).toMatch(/^new: required/);
    expect(mergeRow(grown, stored(), { new: 'n' }).get('new')).toBe('"n"');
    expect(invalidity(() => merge({ count: 'two' }))).toBe('count: expected number, got string');
  });

  it('keeps order and digits of what it does not touch, replaces whole values, appends new keys', () => {
    expect(merge({ later: true, meta: { z: 3 } })).toBe(
      '{"title":"a","zz":12345678901234567890,"meta":{"z":3},"count":1.0,"later":true}',
    );
    expect(merge({})).toBe(joinMembers(stored()));
  });

  it('removes optional, unknown and absent keys on null', () => {
    expect(merge({ count: null, zz: null, never: null })).toBe('{"title":"a","meta":{"x":1,"y":2}}');
  });

  it('leaves the stored members alone, also when it refuses', () => {
    const before = stored();
    mergeRow(schema, before, { title: 'b', count: null });
    expect(() => mergeRow(schema, before, { zz: null, title: null })).toThrow();
    expect(joinMembers(before)).toBe(joinMembers(stored()));
  });
});
