import { describe, expect, test } from 'vitest';
import { applySplices, spliceBetween } from '../../src/events/splice.js';

const long = Array.from({ length: 400 }, (_, line) => `line ${line} says something, but not much.`).join('\n');

describe('splices that do not fit', () => {
  test.each([
    ['beyond the end', [[3, 1, 'x']]],
    [
      'backwards',
      [
        [2, 0, 'x'],
        [1, 0, 'y'],
      ],
    ],
    [
      'overlapping',
      [
        [0, 2, 'x'],
        [1, 0, 'y'],
      ],
    ],
  ] as const)('%s are refused', (_name, splices) => {
    expect(applySplices('abc', splices)).toBeNull();
  });
});

describe('a small change of a long text', () => {
  test('is one small splice', () => {
    const after = long.replace('line 200 says', 'line 200 sings');
    const splices = spliceBetween(long, after);
    expect(splices).toHaveLength(1);
    expect(JSON.stringify(splices).length).toBeLessThan(40);
    expect(applySplices(long, splices ?? [])).toBe(after);
  });

  test('at both ends keeps the middle out of the log', () => {
    const after = `${long.replace('line 0 ', 'LINE 0 ').replace('line 399 ', 'LINE 399 ')}`;
    const splices = spliceBetween(long, after);
    expect(JSON.stringify(splices).length).toBeLessThan(100);
    expect(applySplices(long, splices ?? [])).toBe(after);
  });

  test('never cuts a character in two', () => {
    const before = `${'x'.repeat(100)}😀${'y'.repeat(100)}`;
    const after = `${'x'.repeat(100)}😁${'y'.repeat(100)}`;
    const splices = spliceBetween(before, after);
    expect(splices).toEqual([[100, 2, '😁']]);
    for (const [, , inserted] of splices ?? []) expect(inserted.isWellFormed()).toBe(true);
  });
});

test('what is cheaper whole is not spliced', () => {
  expect(spliceBetween('short', 'shorn')).toBeNull();
  expect(spliceBetween('a'.repeat(200), 'b'.repeat(200))).toBeNull();
});
