/** `fields`: which members of `data` an answer shows (storage.md §9, rulings §2 "projection"). */
import { z } from 'zod';
import { invalid, invalidShape, requireField } from './field-errors.js';
import type { JsonText, Members } from './json.js';
import { joinMembers, splitMembers } from './json.js';
import type { TableSchema } from './table-schema.js';

export type FieldSelector =
  | { readonly mode: 'all' }
  /** Known names, as requested, none of them twice. */
  | { readonly mode: 'list'; readonly fields: readonly string[] };

const shape = z.strictObject(
  {
    mode: z.enum(['all', 'list'], 'must be all or list'),
    fields: z.array(z.string('must be a string'), 'must be an array of field names').nullish(),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? 'unknown key' : 'must be {mode: "all"} or {mode: "list", fields: [...]}',
  },
);

/**
 * Absent or null means everything.
 * @throws StoreError VALIDATION_ERROR: the name of an unknown field, or `fields` when misshapen.
 */
export function parseFieldSelector(schema: TableSchema, input: unknown): FieldSelector {
  if (input === undefined || input === null) return { mode: 'all' };
  const parsed = shape.safeParse(input);
  if (!parsed.success) throw invalidShape('fields', parsed.error);
  const { mode, fields } = parsed.data;
  if (mode === 'all') return { mode };
  if (fields === undefined || fields === null) throw invalid('fields.fields', 'is required with mode list');
  return { mode, fields: [...new Set(fields.map((name) => requireField(schema, name).name))] };
}

/** The data with exactly the selected members, in the order of the selector; one the row lacks appears as null. */
export function project(data: JsonText, selector: FieldSelector): JsonText {
  if (selector.mode === 'all') return data;
  const stored = splitMembers(data);
  const nothing = 'null' as JsonText;
  const selected: Members = new Map(selector.fields.map((name) => [name, stored.get(name) ?? nothing]));
  return joinMembers(selected);
}
