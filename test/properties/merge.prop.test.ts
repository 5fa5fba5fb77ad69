import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStoreError } from '../../src/errors.js';
import { parseFieldSelector, project } from '../../src/schema/field-selector.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  joinMembers,
  jsonText,
  membersOf,
  parseJson,
  splitMembers,
} from '../../src/schema/json.js';
import { mergeRow } from '../../src/schema/merge-row.js';
import { type FieldSchema, fieldTypes, type TableSchema } from '../../src/schema/table-schema.js';
import { validateData } from '../../src/schema/validate-row.js';

const keys = ['a', 'b', 'c.d', '__proto__', 'e"f', 'zz'];
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, 1, 1.5, '', 'x', '{"', ']', '\\'),
  fc.constantFrom<JsonValue>([], [1], {}, { a: null }, { n: { m: ['"'] } }),
);
const object: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 6 })
  .map((entries) => Object.fromEntries(entries));
const schema: fc.Arbitrary<TableSchema> = fc
  .subarray(keys.slice(0, 5))
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.record<FieldSchema>({
          name: fc.constant(name),
          type: fc.constantFrom(...fieldTypes),
          required: fc.boolean(),
          description: fc.constant(null),
        }),
      ),
    ),
  )
  .map((fields) => ({ table: 't', title: null, description: null, fields, dump: null, history: 'full' }));

/** The field a row is refused for, or null: storage.md §6 word by word, on parsed values. */
function offence(fields: readonly FieldSchema[], row: ReadonlyMap<string, JsonValue>): string | null {
  for (const field of fields) {
    const held = row.get(field.name) ?? null;
    const type = Array.isArray(held) ? 'array' : typeof held;
    if (held === null ? field.required : type !== field.type) return field.name;
  }
  return null;
}

/** The text a naive merge leaves, or the field it is refused for. */
function naiveMerge(
  { fields }: TableSchema,
  stored: JsonObject,
  patch: JsonObject,
): { text: string } | { field: string } {
  const row = new Map(Object.entries(stored));
  for (const [key, change] of Object.entries(patch)) {
    if (change !== null) row.set(key, change);
    else if (fields.some((field) => field.required && field.name === key)) return { field: key };
    else row.delete(key);
  }
  const field = offence(fields, row);
  return field === null ? { text: JSON.stringify(Object.fromEntries(row)) } : { field };
}

function attempt(action: () => string): { text: string } | { field: unknown } {
  try {
    return { text: action() };
  } catch (error) {
    if (!isStoreError(error) || !('field' in error.fields)) throw error;
    return { field: error.fields.field };
  }
}

describe('changes of a row', () => {
  it('refuse a patch that is no object, whatever it is', () => {
    fc.assert(
      fc.property(schema, object, value, (table, stored, patch) => {
        fc.pre(!isJsonObject(patch));
        expect(attempt(() => joinMembers(mergeRow(table, membersOf(stored), patch)))).toEqual({ field: '(root)' });
      }),
    );
  });

  it('merge as the naive model does, and leave the stored members alone', () => {
    fc.assert(
      fc.property(schema, object, object, (table, stored, patch) => {
        const before = splitMembers(jsonText(stored));
        const merged = attempt(() => joinMembers(mergeRow(table, before, patch)));
        expect(merged).toEqual(naiveMerge(table, stored, patch));
        expect(joinMembers(before)).toBe(JSON.stringify(stored));
      }),
      { numRuns: 500 },
    );
  });

  it('replace with exactly the given object, or name the first field that offends', () => {
    fc.assert(
      fc.property(schema, object, (table, data) => {
        const field = offence(table.fields, new Map(Object.entries(data)));
        const expected = field === null ? { text: JSON.stringify(data) } : { field };
        expect(attempt(() => joinMembers(validateData(table, data)))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('project to exactly the selected members', () => {
    fc.assert(
      fc.property(schema, object, fc.array(fc.nat()), (table, data, picks) => {
        const names = picks.flatMap((pick) => table.fields[pick % Math.max(1, table.fields.length)]?.name ?? []);
        const shown = parseJson(project(jsonText(data), parseFieldSelector(table, { mode: 'list', fields: names })));
        const held = new Map(Object.entries(data));
        expect(Object.entries(shown ?? {})).toEqual([...new Set(names)].map((name) => [name, held.get(name) ?? null]));
      }),
    );
  });
});
