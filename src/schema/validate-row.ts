/** Rows against their schema: JSON types only, no coercion, keys outside the schema welcome (storage.md §6). */
import { StoreError } from '../errors.js';
import type { JsonObject, JsonText, Members } from './json.js';
import { assertStorable, isJsonObject, membersOf } from './json.js';
import type { FieldType, TableSchema } from './table-schema.js';

/**
 * Checks the fields in the order of their declaration; the first failure is thrown.
 * @throws StoreError VALIDATION_ERROR with the field's name.
 */
export function validateRow(schema: TableSchema, members: Members): void {
  for (const field of schema.fields) {
    const raw = members.get(field.name);
    const actual = raw === undefined ? 'null' : jsonTypeOf(raw);
    if (actual === field.type) continue;
    if (actual !== 'null') throw refused(field.name, `expected ${field.type}, got ${actual}`);
    if (field.required) throw refused(field.name, `required field is ${raw === undefined ? 'missing' : 'null'}`);
  }
}

/**
 * The members of a `data` argument, after all checks.
 * @throws StoreError VALIDATION_ERROR: field `(root)` when it is no object, else the field's name or JSON path.
 */
export function validateData(schema: TableSchema, data: unknown): Members {
  const members = membersOf(requireStorableObject(data));
  validateRow(schema, members);
  return members;
}

/** @throws StoreError VALIDATION_ERROR: field `(root)` when it is no object, else the JSON path of what cannot be kept. */
export function requireStorableObject(data: unknown): JsonObject {
  if (!isJsonObject(data)) throw refused('(root)', `value must be a JSON object, got ${typeName(data)}`);
  assertStorable(data);
  return data;
}

/** The JSON type of a value's raw text. */
export function jsonTypeOf(raw: JsonText): FieldType | 'null' {
  switch (raw.charCodeAt(0)) {
    case 0x22:
      return 'string';
    case 0x7b:
      return 'object';
    case 0x5b:
      return 'array';
    case 0x74:
    case 0x66:
      return 'boolean';
    case 0x6e:
      return 'null';
    default:
      return 'number';
  }
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function refused(field: string, reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError('VALIDATION_ERROR', { field, reason });
}
