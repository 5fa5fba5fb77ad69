import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedString } from '../../src/events/string-edit.js';
import { type JsonText, jsonText } from '../../src/schema/json.js';

const text = fc.string({
  unit: fc.constantFrom('a', 'b', '1', '\n', '"', '\\', 'u', '/', '\u0001', 'é', '😀'),
  maxLength: 12,
});

/** Another way to write the same string: every unit as an escape, as some programs do. */
function escaped(value: string): JsonText {
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"` as JsonText;
}

describe('an edited string', () => {
  it('is what encoding the whole of it gives', () => {
    fc.assert(
      fc.property(text, text, text, text, (head, removed, inserted, tail) => {
        const [before, after] = [head + removed + tail, head + inserted + tail];
        expect(editedString(jsonText(before), before, after)).toBe(jsonText(after));
      }),
    );
  });

  it('is the same string, however the one before was written', () => {
    fc.assert(
      fc.property(text, text, text, text, text, (head, removed, inserted, tail, end) => {
        const [before, after] = [head + removed + tail + end, head + inserted + tail + end];
        const raw = `${jsonText(head + removed + tail).slice(0, -1)}${escaped(end).slice(1)}` as JsonText;
        expect(JSON.parse(editedString(raw, before, after))).toBe(after);
        expect(JSON.parse(editedString(escaped(before), before, after))).toBe(after);
        const slashed = jsonText(before).replaceAll('/', '\\/') as JsonText;
        expect(JSON.parse(editedString(slashed, before, after))).toBe(after);
      }),
    );
  });

  it.each(['', 'x', '"'])('begins with nothing where null was stored: %j', (after) => {
    expect(editedString('null' as JsonText, '', after)).toBe(jsonText(after));
  });
});
