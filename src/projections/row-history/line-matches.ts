/** Long stretches that a text has in common with the one before it. */

export interface Match {
  /** Where the stretch begins in the text, and where in the one before. */
  readonly at: number;
  readonly from: number;
  readonly length: number;
}

/** Stretches of the text before are found by their bytes at every multiple of this. */
const grain = 16;
/** Shorter ones cost more than they save. */
const shortest = 24;

/** Ascending and disjoint in `text`. Costs time in proportion to both lengths; little for one change in the middle. */
export function matchesIn(before: Buffer, text: Buffer): Match[] {
  return matchesAtEnds(before, text) ?? matchesAnywhere(before, text);
}

/** Where a line's own members end and its text begins, both lines are alike up to the first change. */
const probe = { at: 96, reach: 256 };
/** More than this between the two ends is worth a closer look. */
const longMiddle = 1024;

/** Equal stretches are compared this many bytes at a time, which is done natively. */
const stride = 4096;

function isEqual(before: Buffer, from: number, text: Buffer, at: number): boolean {
  return before.compare(text, at, at + stride, from, from + stride) === 0;
}

function matchesAtEnds(before: Buffer, text: Buffer): Match[] | null {
  if (text.length < 2 * probe.reach) return null;
  const from = before.subarray(0, probe.reach).indexOf(text.subarray(probe.at, probe.at + grain));
  if (from === -1) return null;
  const head = extended(before, text, { at: probe.at, from, length: grain }, 0);
  const end = head.at + head.length;
  if (end === text.length) return [head];
  const tail = commonEnd(before, text, end);
  if (text.length - tail - end > longMiddle) return null;
  const last = { at: text.length - tail, from: before.length - tail, length: tail };
  return tail < shortest ? [head] : [head, last];
}

function commonEnd(before: Buffer, text: Buffer, start: number): number {
  const most = Math.min(before.length, text.length - start);
  let length = 0;
  while (
    length + stride <= most &&
    isEqual(before, before.length - length - stride, text, text.length - length - stride)
  ) {
    length += stride;
  }
  while (length < most && text[text.length - 1 - length] === before[before.length - 1 - length]) length++;
  return length;
}

function matchesAnywhere(before: Buffer, text: Buffer): Match[] {
  const known = stretchesOf(before);
  const matches: Match[] = [];
  let end = 0;
  for (let at = 0; at + grain <= text.length; ) {
    const found = known.get(text.toString('latin1', at, at + grain));
    const match = found === undefined ? null : extended(before, text, { at, from: found, length: grain }, end);
    if (match === null || match.length < shortest) {
      at++;
      continue;
    }
    matches.push(match);
    end = match.at + match.length;
    at = end;
  }
  return matches;
}

function stretchesOf(text: Buffer): Map<string, number> {
  const stretches = new Map<string, number>();
  for (let at = 0; at + grain <= text.length; at += grain) {
    const stretch = text.toString('latin1', at, at + grain);
    if (!stretches.has(stretch)) stretches.set(stretch, at);
  }
  return stretches;
}

/** The stretch as long as it is on both sides, not before `start` in the text. */
function extended(before: Buffer, text: Buffer, { at, from, length }: Match, start: number): Match {
  let back = 0;
  while (at - back > start && from - back > 0 && text[at - back - 1] === before[from - back - 1]) back++;
  let end = length;
  const most = Math.min(text.length - at, before.length - from);
  while (end + stride <= most && isEqual(before, from + end, text, at + end)) end += stride;
  while (end < most && text[at + end] === before[from + end]) end++;
  return { at: at - back, from: from - back, length: end + back };
}
