/** Patches of rows: they lead exactly to the new row, whatever the rows hold, and stay small. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyPatch, diffRow } from '../../src/events/row-patch.js';
import { applySplices, spliceBetween } from '../../src/events/splice.js';
import { type JsonText, joinMembers, jsonText, type Members, splitMembers } from '../../src/schema/json.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { storableValue } from '../helpers/row-commands.js';

const key = fc.oneof(
  fc.constantFrom('a', 'b', '10', '9', '__proto__', 'text', 'é😀', ''),
  fc.string({ unit: 'binary' }),
);
const bigNumber = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map((value) => String(value) as JsonText);
const value = fc.oneof(storableValue.map(jsonText), bigNumber, fc.constantFrom('1.0' as JsonText, '1e400' as JsonText));
const members: fc.Arbitrary<Members> = fc.array(fc.tuple(key, value), { maxLength: 8 }).map((pairs) => new Map(pairs));

/** Text of characters that are cut in two easily. */
const text = fc
  .array(fc.constantFrom('😀', '😁', '👨‍👩‍👧', 'a', 'é', '\n', '.', ',', '\\', '"', 'word '), { maxLength: 400 })
  .map((parts) => parts.join(''));

const throughTheLog = (patch: Members): Members => splitMembers(joinMembers(patch));

test('a patch leads from any row to any other, to the byte', () => {
  fc.assert(
    fc.property(members, members, (before, after) => {
      const result = applyPatch(before, throughTheLog(diffRow(before, after)));
      expect(joinMembers(result ?? new Map())).toBe(joinMembers(after));
    }),
    propertyRuns(300),
  );
});

test('and from a row to one a few edits away', () => {
  const edit = fc.tuple(fc.nat(), fc.nat(20), text);
  fc.assert(
    fc.property(text, fc.array(edit, { maxLength: 3 }), members, (long, edits, rest) => {
      const edited = edits.reduce((whole, [at, length, put]) => {
        const from = whole.length === 0 ? 0 : at % whole.length;
        return whole.slice(0, from) + put + whole.slice(from + length);
      }, long);
      const before: Members = new Map([...rest, ['text', jsonText(long)]]);
      const after: Members = new Map([...rest, ['text', jsonText(edited)]]);
      const patch = throughTheLog(diffRow(before, after));
      expect(joinMembers(applyPatch(before, patch) ?? new Map())).toBe(joinMembers(after));
      // The log is UTF-8: half a character would not come back from it.
      const wellFormed = long.isWellFormed() && edited.isWellFormed();
      if (wellFormed) expect(joinMembers(patch).isWellFormed()).toBe(true);
    }),
    propertyRuns(300),
  );
});

test('splices never put half a character into the log', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const splices = spliceBetween(before, after);
      if (splices === null) return;
      expect(applySplices(before, splices)).toBe(after);
      for (const [, , inserted] of splices) expect(inserted.isWellFormed()).toBe(true);
    }),
    propertyRuns(300),
  );
});

test('a small change of a long text costs less than 300 bytes', () => {
  const sentence = fc.constantFrom(
    'It says something. ',
    'And more, of it;\n',
    'A 😀 here. ',
    '- a point\n',
    '"quoted", too. ',
  );
  const long = fc.array(sentence, { minLength: 400, maxLength: 800 }).map((parts) => parts.join(''));
  const small = fc.string({ unit: 'grapheme', maxLength: 20 });
  const position = fc.nat(1_000_000);
  fc.assert(
    fc.property(long, position, fc.nat(20), small, (before, at, length, put) => {
      const characters = [...before];
      const from = at % characters.length;
      characters.splice(from, length, put);
      const change = diffRow(new Map([['body', jsonText(before)]]), new Map([['body', jsonText(characters.join(''))]]));
      expect(Buffer.byteLength(joinMembers(change))).toBeLessThan(300);
    }),
    propertyRuns(100),
  );
});
