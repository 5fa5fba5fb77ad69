/**
 * Finding ids by the start of their text, ASCII letter case ignored (rulings §2 "ids"). An index cannot do that at once, but
 * it can for each way of writing the first few characters.
 */

/** More letters would double the ranges each and narrow them no further than it pays. */
const maxLetters = 4;

/**
 * Half-open ranges of ids, ascending and disjoint, that hold every id with the prefix (and others: test each id with
 * {@link startsWithIgnoringCase}). Null when no range can be named, so that every id has to be looked at.
 */
export function prefixRanges(prefix: string): [from: string, to: string][] | null {
  const head = asciiHead(prefix);
  if (head === '') return null;
  let spellings = [''];
  for (const letter of head) {
    const cases = letter === letter.toLowerCase() ? [letter.toUpperCase(), letter] : [letter, letter.toLowerCase()];
    spellings = spellings.flatMap((spelling) => [...new Set(cases)].map((written) => spelling + written));
  }
  return spellings.map((spelling) => [spelling, successor(spelling)]);
}

/** What SQLite's LIKE does with a literal: only A to Z equal a to z. */
export function startsWithIgnoringCase(id: string, prefix: string): boolean {
  return asciiLower(id.slice(0, prefix.length)) === asciiLower(prefix);
}

function asciiHead(prefix: string): string {
  let letters = 0;
  let end = 0;
  for (; end < prefix.length; end++) {
    const character = prefix.charAt(end);
    if (character > '\u007f' || character === '\0') break;
    if (/[a-z]/i.test(character) && ++letters > maxLetters) break;
  }
  return prefix.slice(0, end);
}

// The order of code points is that of UTF-8 bytes, so the next code point bounds everything that starts with this one.
function successor(ascii: string): string {
  return ascii.slice(0, -1) + String.fromCharCode(ascii.charCodeAt(ascii.length - 1) + 1);
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
