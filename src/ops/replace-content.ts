/** `content_replace`: one occurrence of a text in a string field, or all of them. */
import { StoreError } from '../errors.js';
import type { Caller } from '../events/types.js';
import { invalid } from '../schema/field-errors.js';
import { assertStorable } from '../schema/json.js';
import { assertLength, type ContentEdit, type Edited, editContent, requireRange } from './content-field.js';
import type { Store } from './store.js';
import { countLines, type LineRange, type Stretch, stretchOf } from './text-lines.js';
import { candidates, countMatches } from './text-matches.js';
import { withPresentSchema } from './write-row.js';

export interface ReplaceContentInput extends ContentEdit {
  readonly old_str: string;
  readonly new_str: string;
  /** Only these lines are searched; the end is clamped to the lines there are. */
  readonly view_range?: LineRange | undefined;
  readonly replace_all?: boolean | undefined;
}

export interface Replaced {
  /** How many occurrences were replaced. */
  readonly matches: number;
  readonly replayed?: true;
}

/**
 * @throws StoreError STRING_NOT_FOUND, AMBIGUOUS with candidates that count in the whole field (rulings §2), OUT_OF_RANGE
 *   for a range past the end, VALIDATION_ERROR, TYPE_ERROR, NOT_FOUND and what every write throws.
 */
export function replaceContent(store: Store, input: ReplaceContentInput, caller: Caller): Promise<Replaced> {
  return withPresentSchema(() => replace(store, input, caller));
}

async function replace(store: Store, input: ReplaceContentInput, caller: Caller): Promise<Replaced> {
  const table = store.registry.resolve(input.table);
  if (input.old_str === '') throw invalid('old_str', 'must not be empty');
  if (!input.old_str.isWellFormed()) throw invalid('old_str', 'must not hold a lone surrogate; send valid Unicode');
  assertStorable(input.new_str, 'new_str');
  if (input.view_range != null) requireRange(input.view_range);
  return editContent({ table, op: 'content_replace', input, caller }, (text) => replaced(text, input));
}

function replaced(text: string, input: ReplaceContentInput): Edited<{ readonly matches: number }> {
  const { old_str: wanted, new_str: substitute } = input;
  const stretch = searched(text, input.view_range ?? null);
  const part = text.slice(stretch.start, stretch.end);
  const matches = countMatches(part, wanted);
  if (matches === 0) throw notFound(input.field, part, wanted);
  if (matches > 1 && input.replace_all !== true) throw ambiguous(input, matches, text, stretch);
  assertLength(input.field, text.length + matches * (substitute.length - wanted.length));
  // A function, because `$` means something in a substitute that is a string.
  const changed = part.replaceAll(wanted, () => substitute);
  return { text: text.slice(0, stretch.start) + changed + text.slice(stretch.end), result: { matches } };
}

function searched(text: string, range: LineRange | null): Stretch {
  if (range === null) return { start: 0, end: text.length };
  const stretch = stretchOf(text, range);
  if (stretch === null) throw new StoreError('OUT_OF_RANGE', { line: range[0], total_lines: countLines(text) });
  return stretch;
}

function ambiguous({ field, old_str: wanted }: ReplaceContentInput, matches: number, text: string, stretch: Stretch) {
  const found = candidates(text, wanted, stretch);
  const wayOut = 'Make old_str longer, pass view_range=[start,end] to narrow the search, or replace_all=true.';
  const hint = found.length < matches ? `The first ${found.length} of ${matches} are shown. ${wayOut}` : wayOut;
  return new StoreError('AMBIGUOUS', { field, matches, candidates: found }, { hint });
}

function notFound(field: string, text: string, wanted: string): StoreError<'STRING_NOT_FOUND'> {
  const isAboutLineEnds = text.includes('\r\n') && text.includes(wanted.replaceAll(/\r?\n/g, '\r\n'));
  const hint = 'The field ends its lines with CRLF: write \\r\\n in old_str and new_str.';
  return new StoreError('STRING_NOT_FOUND', { field }, isAboutLineEnds ? { hint } : {});
}
