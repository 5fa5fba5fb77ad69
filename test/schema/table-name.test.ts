import { describe, expect, it } from 'vitest';
import { assertTableName, sameName } from '../../src/schema/table-name.js';
import { refusal } from './refusal.js';

describe('assertTableName', () => {
  const bad = [
    '',
    '.',
    '..',
    '../escape',
    '/abs/path',
    '.hidden',
    'a/b',
    'a\\b',
    'a b',
    'ä',
    'a\0',
    'a\n',
    'a'.repeat(201),
  ];
  const reserved = ['con', 'NUL', 'Aux', 'prn', 'COM1', 'lpt9', '_backup', '_Snapshots'];

  it.each([...bad, ...reserved])('refuses %j', (name) => {
    expect(refusal('VALIDATION_ERROR', () => assertTableName(name)).fields.field).toBe('table');
  });

  it.each(['a', 'issues', 'My-Table_2', '_x', '0', 'console', 'com10', '-'])('allows %j', (name) => {
    expect(() => assertTableName(name)).not.toThrow();
  });
});

describe('sameName', () => {
  it.each([
    ['Notes', 'nOTES', true],
    ['caf\u00e9', 'CAFE\u0301', true],
    ['straße', 'STRASSE', true],
    ['notes', 'note', false],
  ])('%s and %s: %s', (a, b, same) => {
    expect(sameName(a, b)).toBe(same);
  });
});
