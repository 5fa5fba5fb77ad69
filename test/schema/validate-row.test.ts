import { describe, expect, it } from 'vitest';
import { type JsonText, joinMembers, splitMembers } from '../../src/schema/json.js';
import { fieldTypes, type TableSchema } from '../../src/schema/table-schema.js';
import { validateData, validateRow } from '../../src/schema/validate-row.js';
import { invalidity } from './refusal.js';

const schema: TableSchema = {
  table: 't',
  title: null,
  description: null,
  fields: [
    { name: 'title', type: 'string', required: true, description: null },
    ...fieldTypes.map((type) => ({ name: `a_${type}`, type, required: false, description: null })),
    { name: '__proto__', type: 'number', required: false, description: null },
  ],
  dump: null,
  history: 'full',
};

describe('validateData', () => {
  it.each([['text'], [[1]], [null], [5], [undefined], [true]])('refuses %j as (root)', (data) => {
    expect(invalidity(() => validateData(schema, data))).toMatch(/^\(root\): value must be a JSON object, got/);
  });

  it('refuses a required field that is missing or null', () => {
    expect(invalidity(() => validateData(schema, {}))).toBe('title: required field is missing');
    expect(invalidity(() => validateData(schema, { title: null }))).toBe('title: required field is null');
  });

  it('names the expected and the actual type, first declared field first', () => {
    expect(invalidity(() => validateData(schema, { a_array: {}, title: 1 }))).toBe(
      'title: expected string, got number',
    );
    const samples = { string: 's', number: 1.5, boolean: false, array: [], object: {} };
    for (const expected of fieldTypes) {
      for (const actual of fieldTypes) {
        const data = { title: 'x', [`a_${expected}`]: samples[actual] };
        if (expected === actual) expect(joinMembers(validateData(schema, data))).toBe(JSON.stringify(data));
        else
          expect(invalidity(() => validateData(schema, data))).toBe(
            `a_${expected}: expected ${expected}, got ${actual}`,
          );
      }
    }
  });

  it('keeps unknown keys, nulls of optional fields and the order of keys', () => {
    const data = { zz: [1, { b: null }], title: 'x', a_number: null };
    expect(joinMembers(validateData(schema, data))).toBe('{"zz":[1,{"b":null}],"title":"x","a_number":null}');
  });

  it('sees an own key called __proto__', () => {
    const data: unknown = JSON.parse('{"title":"x","__proto__":"y"}');
    expect(invalidity(() => validateData(schema, data))).toBe('__proto__: expected number, got string');
  });

  it('refuses what could not be kept, with its path', () => {
    expect(invalidity(() => validateData(schema, { title: 'x', o: { n: [2 ** 53] } }))).toMatch(/^o\.n\[0\]: /);
    expect(invalidity(() => validateData(schema, { title: 'a\0' }))).toMatch(/^title: .*NUL/);
  });
});

describe('validateRow', () => {
  it('takes a large integer of an older row for a number', () => {
    const members = splitMembers('{"title":"x","a_number":-123456789012345678901}' as JsonText);
    expect(() => validateRow(schema, members)).not.toThrow();
  });
});
