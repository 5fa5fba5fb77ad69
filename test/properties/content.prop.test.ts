import fc from 'fast-check';
import { describe, it } from 'vitest';
import { countLines, insertAfter, numberedLines, stretchOf } from '../../src/ops/text-lines.js';
import { candidates, countMatches } from '../../src/ops/text-matches.js';
import { propertyRuns } from '../helpers/property-runs.js';

const text = fc
  .array(fc.constantFrom('\n', '\r\n', 'a', 'b', 'ab', 'é', '😀', '👨‍👩‍👧', ' ', '日本', 'aaa', '\t'), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''));
const wanted = text.filter((part) => part !== '');
const lineNumber = fc.nat({ max: 12 });
const bytes = (part: string) => Buffer.byteLength(part);

/** The model: a text is the array of its lines. */
describe('texts as lines', () => {
  it('are viewed as the lines that splitting gives', () => {
    const property = fc.property(text, lineNumber, lineNumber, (whole, first, last) => {
      const shown = whole
        .split('\n')
        .map((line, index) => ({ number: index + 1, line }))
        .filter(({ number }) => number >= first && number <= last);
      const expected = shown.map(({ number, line }) => `${' '.repeat(6 - String(number).length)}${number}  ${line}\n`);
      return numberedLines(whole, [first, last]) === expected.join('');
    });
    fc.assert(property, propertyRuns(500));
  });

  it('grow by the lines inserted, and by nothing else', () => {
    const property = fc.property(text, lineNumber, text, (whole, line, added) => {
      const lines = whole.split('\n');
      lines.splice(line, 0, added);
      const result = insertAfter(whole, line, added);
      return result === lines.join('\n') && countLines(result) === countLines(whole) + countLines(added);
    });
    fc.assert(property, propertyRuns(500));
  });

  it('have ranges that are their lines', () => {
    const property = fc.property(text, fc.integer({ min: 1, max: 12 }), lineNumber, (whole, first, more) => {
      const lines = whole.split('\n');
      const stretch = stretchOf(whole, [first, first + more]);
      if (stretch === null) return first > lines.length;
      return whole.slice(stretch.start, stretch.end) === lines.slice(first - 1, first + more).join('\n');
    });
    fc.assert(property, propertyRuns(500));
  });

  it('are searched without overlap, and each candidate is found again where it says', () => {
    const property = fc.property(
      text,
      wanted,
      fc.integer({ min: 1, max: 6 }),
      lineNumber,
      (whole, part, first, more) => {
        const stretch = stretchOf(whole, [first, first + more]);
        if (stretch === null) return true;
        const searched = whole.slice(stretch.start, stretch.end);
        const matches = searched.split(part).length - 1;
        const found = candidates(whole, part, stretch);
        if (countMatches(searched, part) !== matches || found.length !== Math.min(20, matches)) return false;
        return found.every(({ line, col, snippet }) => {
          const before = whole.split('\n').slice(0, line - 1);
          const from = before.reduce((sum, each) => sum + bytes(each) + 1, 0) + col - 1;
          const there = Buffer.from(whole)
            .subarray(from, from + bytes(part))
            .toString();
          const isShort = bytes(snippet) <= bytes(part) + 60;
          return there === part && line >= first && line <= first + more && snippet.includes(part) && isShort;
        });
      },
    );
    fc.assert(property, propertyRuns(1000));
  });
});
