/**
 * Success values of the built-in tools. Ops answer with values that are ready for the wire (row data is raw JSON text), so
 * they pass through untouched; what is published of them is shallow, because output schemas double the size of the list.
 */
import { z } from 'zod';
import type { RowRecord } from '../../ops/store.js';

/** A value that is on the wire what it is in the program. Its type is checked when the tool is compiled. */
export function wireResult<T>(isShape: (value: unknown) => boolean, schema: Record<string, unknown>) {
  return z.custom<T>(isShape).meta(schema);
}

export const openObject = { type: 'object', additionalProperties: true } as const;

const counter = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** One row. */
export const row = wireResult<RowRecord>(isObject, {
  type: 'object',
  properties: {
    id: { type: 'string' },
    data: openObject,
    created_at: counter,
    updated_at: counter,
    version: counter,
  },
  required: ['id', 'data', 'created_at', 'updated_at', 'version'],
});

/** Rows, in order. */
export const rows = wireResult<readonly RowRecord[]>(Array.isArray, { type: 'array', items: openObject });

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
