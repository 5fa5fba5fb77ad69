/** `content_insert`: new lines in a string field. */
import { StoreError } from '../errors.js';
import type { Caller } from '../events/types.js';
import { assertStorable } from '../schema/json.js';
import { assertLength, type ContentEdit, type Edited, editContent } from './content-field.js';
import type { Store } from './store.js';
import { countLines, insertAfter } from './text-lines.js';
import { withPresentSchema } from './write-row.js';

export interface InsertContentInput extends ContentEdit {
  /** After this line; 0 is before the first, one more than there are appends. */
  readonly line: number;
  readonly content: string;
}

export interface Inserted {
  readonly line: number;
  /** By how many the field now has more lines. */
  readonly inserted_lines: number;
  readonly replayed?: true;
}

/** @throws StoreError OUT_OF_RANGE, VALIDATION_ERROR, TYPE_ERROR, NOT_FOUND and what every write throws. */
export function insertContent(store: Store, input: InsertContentInput, caller: Caller): Promise<Inserted> {
  return withPresentSchema(() => insert(store, input, caller));
}

async function insert(store: Store, input: InsertContentInput, caller: Caller): Promise<Inserted> {
  const table = store.registry.resolve(input.table);
  assertStorable(input.content, 'content');
  return editContent({ table, op: 'content_insert', input, caller }, (text) => inserted(text, input));
}

function inserted(
  text: string,
  { field, line, content }: InsertContentInput,
): Edited<{ line: number; inserted_lines: number }> {
  const total = countLines(text);
  if (line > total + 1) throw new StoreError('OUT_OF_RANGE', { line, total_lines: total });
  assertLength(field, text.length + content.length);
  return { text: insertAfter(text, line, content), result: { line, inserted_lines: countLines(content) } };
}
