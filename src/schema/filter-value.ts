/** The values inside filters, against the type of the field they are compared with (storage.md §8). */
import { invalid } from './field-errors.js';
import { assertStorable } from './json.js';
import type { FieldSchema } from './table-schema.js';

/** What a value of a row can be compared with. */
export type Scalar = string | number | boolean;

/** SQLite refuses a longer LIKE pattern while the query runs. In UTF-8 bytes. */
const maxPatternBytes = 50_000;

/** A value for `eq` or `in`: a scalar of the field's type, or a string that stands for exactly one such scalar. */
export function fieldValue(field: FieldSchema, value: unknown): Scalar {
  const scalar = requireScalar(field, value);
  if (typeof scalar === field.type) return scalar;
  const meant = typeof scalar === 'string' ? unquoted(field, scalar) : undefined;
  if (typeof meant === 'number') assertExact(field, meant);
  if (meant !== undefined) return meant;
  const wayOut = field.type === 'array' ? '; use array_contains' : '';
  throw invalid(field.name, `type mismatch: the field is ${field.type}, the value is ${typeof scalar}${wayOut}`);
}

/** A value for `array_contains` and `array_not_contains`. The type of the elements is not declared, so any scalar fits. */
export function scalarItem(field: FieldSchema, value: unknown): Scalar {
  if (field.type !== 'array') {
    throw invalid(field.name, `array_contains and array_not_contains work on array fields; the field is ${field.type}`);
  }
  return requireScalar(field, value);
}

/** A pattern for `like`. */
export function likePattern(field: FieldSchema, pattern: string): string {
  if (field.type !== 'string') throw invalid(field.name, `like works on string fields; the field is ${field.type}`);
  if (Buffer.byteLength(pattern) > maxPatternBytes) {
    throw invalid(field.name, `a pattern must not be longer than ${maxPatternBytes} bytes`);
  }
  assertStorable(pattern, field.name);
  return pattern;
}

function requireScalar(field: FieldSchema, value: unknown): Scalar {
  if (value === undefined || value === null) {
    throw invalid(field.name, 'the value must not be null: a filter cannot ask for null or missing');
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw invalid(field.name, 'the value must be a scalar (string, number or boolean)');
  }
  if (typeof value === 'string') assertStorable(value, field.name);
  if (typeof value === 'number') assertExact(field, value);
  return value;
}

function assertExact(field: FieldSchema, value: number): void {
  if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return;
  throw invalid(field.name, 'a number must be finite and an integer within ±(2^53−1): beyond, digits are lost');
}

function unquoted(field: FieldSchema, text: string): number | boolean | undefined {
  if (field.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (field.type !== 'number') return undefined;
  const number = Number(text);
  return String(number) === text && !Number.isNaN(number) ? number : undefined;
}
