/** Rows against their schema: JSON types only, no coercion, keys outside the schema welcome (storage.md §6). */
import { StoreError } from '../errors.js';
import type { JsonObject, JsonText, JsonValue, Members } from './json.js';
import { assertStorable, isJsonObject, jsonText, membersOf } from './json.js';
import type { FieldType, TableSchema } from './table-schema.js';

/**
 * Checks the fields in the order of their declaration; the first failure is thrown.
 * @throws StoreError VALIDATION_ERROR with the field's name.
 */
export function validateRow(schema: TableSchema, members: Members): void {
  checkFields(schema, (name) => {
    const raw = members.get(name);
    return raw === undefined ? 'missing' : jsonTypeOf(raw);
  });
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

/** The text of a `data` argument that is to be a new row, after the same checks. @throws StoreError as {@link validateData}. */
export function validRowText(schema: TableSchema, data: unknown): JsonText {
  const row = requireStorableObject(data);
  checkFields(schema, (name) => typeOfValue(Object.hasOwn(row, name) ? row[name] : undefined));
  return jsonText(row);
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

type Found = FieldType | 'null' | 'missing';

function checkFields(schema: TableSchema, found: (name: string) => Found): void {
  for (const { name, type, required } of schema.fields) {
    const actual = found(name);
    if (actual === type) continue;
    if (actual !== 'null' && actual !== 'missing') throw refused(name, `expected ${type}, got ${actual}`);
    if (required) throw refused(name, `required field is ${actual}`);
  }
}

function typeOfValue(value: JsonValue | undefined): Found {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // A plugin may hand over what becomes something else as JSON, a date for one.
  return Object.getPrototypeOf(value) === Object.prototype ? 'object' : jsonTypeOf(jsonText(value));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function refused(field: string, reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError('VALIDATION_ERROR', { field, reason });
}
