/** `content_view`: a string field as numbered lines. */
import { StoreError } from '../errors.js';
import { type ContentTarget, requireStringField, textOf } from './content-field.js';
import { resolveId } from './resolve-id.js';
import type { Store } from './store.js';
import { type LineRange, numberedLines } from './text-lines.js';

export interface ViewContentInput extends ContentTarget {
  /** Clamped to the lines there are. */
  readonly view_range?: LineRange | undefined;
}

/** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR (unknown field), TYPE_ERROR. */
export async function viewContent(store: Store, input: ViewContentInput): Promise<{ content: string }> {
  const table = store.registry.resolve(input.table);
  const { rows } = table.open();
  const id = resolveId(input.id, (prefix) => rows.idsWithPrefix(prefix));
  requireStringField(table.schema, input.field);
  const row = rows.get(id);
  if (row === null) throw new StoreError('NOT_FOUND', { id: input.id });
  const range = input.view_range ?? [1, Number.MAX_SAFE_INTEGER];
  return { content: numberedLines(textOf(row, input.field), range) };
}
