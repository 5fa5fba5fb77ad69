/** `order_by`: which fields a list is sorted by (storage.md §9, rulings §2 "order"). */
import { z } from 'zod';
import { invalid, invalidShape, requireField } from './field-errors.js';
import type { TableSchema } from './table-schema.js';
import { fieldOf } from './table-schema.js';

/** The columns of a row that can be sorted by besides its fields. */
export const sortColumns = ['id', 'created_at', 'updated_at'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** A sort key on a member of `data`, or on a column of the row. */
export type OrderKey =
  | { readonly field: string; readonly direction: Direction; readonly column?: false }
  | { readonly field: SortColumn; readonly direction: Direction; readonly column: true };

export type Direction = 'asc' | 'desc';
export type OrderBy = readonly OrderKey[];

/** Every key costs a term of the ORDER BY clause, which SQLite limits. */
const maxKeys = 64;

const shape = z.array(
  z.strictObject(
    {
      field: z.string('must be a string'),
      direction: z.enum(['asc', 'desc'], 'must be asc or desc').nullish(),
    },
    { error: (issue) => (issue.code === 'unrecognized_keys' ? 'unknown key' : 'must be an object {field, direction}') },
  ),
  'must be an array of {field, direction}',
);

/**
 * `direction` defaults to `asc`. A declared field wins over the column of the same name.
 * @throws StoreError VALIDATION_ERROR: `order_by` when empty or misshapen, the name for an unknown field.
 */
export function parseOrderBy(schema: TableSchema, input: unknown): OrderBy {
  const parsed = shape.safeParse(input);
  if (!parsed.success) throw invalidShape('order_by', parsed.error);
  if (parsed.data.length === 0) throw invalid('order_by', 'must not be empty');
  if (parsed.data.length > maxKeys) throw invalid('order_by', `must not have more than ${maxKeys} keys`);
  return parsed.data.map((key) => orderKey(schema, key.field, key.direction ?? 'asc'));
}

function orderKey(schema: TableSchema, name: string, direction: Direction): OrderKey {
  const column = sortColumns.find((candidate) => candidate === name);
  if (column !== undefined && fieldOf(schema, name) === undefined) return { field: column, direction, column: true };
  return { field: requireField(schema, name, sortColumns).name, direction };
}
