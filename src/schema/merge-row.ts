/** Merging a patch into a stored row: RFC 7396, one level deep (storage.md §7). */
import { StoreError } from '../errors.js';
import type { Members } from './json.js';
import { membersOf } from './json.js';
import type { TableSchema } from './table-schema.js';
import { requireStorableObject, validateRow } from './validate-row.js';

/**
 * The stored members with the patch applied, as a new map: null removes a key, anything else replaces its whole value.
 * Stored keys keep their place and their exact text, new keys follow in the order of the patch (rulings §2 "row JSON").
 * @throws StoreError VALIDATION_ERROR: `(root)` for a patch that is no object, the field for a null on a required one,
 *   and whatever the merged row violates.
 */
export function mergeRow(schema: TableSchema, stored: Members, patch: unknown): Members {
  const changes = membersOf(requireStorableObject(patch));
  const merged: Members = new Map(stored);
  for (const [key, value] of changes) {
    if (value !== 'null') merged.set(key, value);
    else merged.delete(deletable(schema, key));
  }
  validateRow(schema, merged);
  return merged;
}

function deletable(schema: TableSchema, key: string): string {
  if (!schema.fields.some((field) => field.required && field.name === key)) return key;
  throw new StoreError('VALIDATION_ERROR', { field: key, reason: 'required field cannot be deleted via null' });
}
