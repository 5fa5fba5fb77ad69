/** Text splices: how a small change of a long text is kept small (rulings 3.7). */
import { diffArrays } from 'diff';

/** At `offset` of the old text (UTF-16 code units), remove `removed` units and put `inserted` there. */
export type Splice = readonly [offset: number, removed: number, inserted: string];

/** Texts shorter than this are cheaper to store whole. */
const worthSplicing = 64;
/** What one splice costs in the log beside its text. */
const spliceOverhead = 16;
/** A middle longer than this is compared line by line. */
const longMiddle = 256;

/**
 * The splices that turn one text into another, ascending and not overlapping; null when storing the new text whole is
 * smaller.
 */
export function spliceBetween(before: string, after: string): readonly Splice[] | null {
  if (after.length < worthSplicing || before.length < worthSplicing) return null;
  const splices = refine(commonEnds(before, after));
  const cost = splices.reduce((sum, [, , inserted]) => sum + inserted.length + spliceOverhead, 0);
  return cost < after.length / 2 ? splices : null;
}

/** Applies splices. Returns null when they do not fit the text, which means that it is not the text they were made for. */
export function applySplices(text: string, splices: readonly Splice[]): string | null {
  let result = '';
  let at = 0;
  for (const [offset, removed, inserted] of splices) {
    if (offset < at || offset + removed > text.length) return null;
    result += text.slice(at, offset) + inserted;
    at = offset + removed;
  }
  return result + text.slice(at);
}

/** Equal stretches are found this many units at a time, which is ten times as fast as one by one. */
const stride = 1024;

interface Middle {
  readonly offset: number;
  readonly before: string;
  readonly after: string;
}

/** What differs between two texts once the stretches that both begin and end with are left out; whole characters only. */
export function commonEnds(before: string, after: string, offset = 0): Middle {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start + stride <= shorter && before.slice(start, start + stride) === after.slice(start, start + stride)) {
    start += stride;
  }
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start > 0 && isHighSurrogate(before.charCodeAt(start - 1))) start--;
  let end = 0;
  const most = shorter - start;
  while (end + stride <= most && tail(before, end) === tail(after, end)) end += stride;
  while (end < most && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end++;
  if (end > 0 && isLowSurrogate(before.charCodeAt(before.length - end))) end--;
  return {
    offset: offset + start,
    before: before.slice(start, before.length - end),
    after: after.slice(start, after.length - end),
  };
}

/** The stretch of text that ends `end` units before the end of it. */
function tail(text: string, end: number): string {
  return text.slice(text.length - end - stride, text.length - end);
}

/** Two distant edits would make one splice of everything between them; a line diff keeps them apart. */
function refine(middle: Middle): Splice[] {
  if (middle.before.length <= longMiddle || middle.after.length <= longMiddle) return [asSplice(middle)];
  const changes = diffArrays(segments(middle.before), segments(middle.after), { maxEditLength: 2000, timeout: 100 });
  if (changes === undefined) return [asSplice(middle)];
  const splices: Splice[] = [];
  let at = middle.offset;
  let removed = '';
  let inserted = '';
  const flush = () => {
    if (removed !== '' || inserted !== '') splices.push(asSplice(commonEnds(removed, inserted, at - removed.length)));
    removed = '';
    inserted = '';
  };
  for (const change of changes) {
    const text = change.value.join('');
    if (change.removed) {
      removed += text;
      at += text.length;
    } else if (change.added) inserted += text;
    else {
      flush();
      at += text.length;
    }
  }
  flush();
  return splices;
}

/** Lines, sentences and members: short enough for a fine diff of both prose and JSON text. */
function segments(text: string): string[] {
  return text.match(/[^\n,.]*?(?:\\n|[\n,.]|$)/gy)?.filter((segment) => segment !== '') ?? [text];
}

function asSplice(middle: Middle): Splice {
  return [middle.offset, middle.before.length, middle.after];
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
