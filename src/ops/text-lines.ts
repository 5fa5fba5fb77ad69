/** Text as lines, the way the content tools count them (storage.md §11): split on LF only, so `\r` stays with its line. */

/** First and last line, 1-based and inclusive. */
export type LineRange = readonly [first: number, last: number];

/** A half-open stretch of a text in UTF-16 code units. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** An empty text has one line, and a final LF is followed by an empty line. */
export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Numbered lines as `cat -n` shows them; none for a range that is inverted or past the end. */
export function numberedLines(text: string, [first, last]: LineRange): string {
  const lines = text.split('\n').slice(Math.max(first, 1) - 1, Math.max(last, 0));
  return lines.map((line, index) => `${String(Math.max(first, 1) + index).padStart(6)}  ${line}\n`).join('');
}

/** The lines of a range without the LF after the last one. Null when its first line is past the end. */
export function stretchOf(text: string, [first, last]: LineRange): Stretch | null {
  const start = startOfLine(text, first);
  if (start === null) return null;
  const next = startOfLine(text, last + 1);
  return { start, end: next === null ? text.length : next - 1 };
}

/** The text with an element inserted after a line; 0 is before the first, anything past the last appends. */
export function insertAfter(text: string, line: number, inserted: string): string {
  const at = startOfLine(text, line + 1);
  return at === null ? `${text}\n${inserted}` : `${text.slice(0, at)}${inserted}\n${text.slice(at)}`;
}

function startOfLine(text: string, line: number): number | null {
  let start = 0;
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf('\n', start);
    if (end === -1) return null;
    start = end + 1;
  }
  return start;
}
