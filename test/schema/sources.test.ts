import { describe, expect, it } from 'vitest';
import { namesMatching, parseSources, sourceNames } from '../../src/schema/sources.js';
import { invalidity, refusal } from './refusal.js';

const known = ['shi', 'shi_log', 'emo', 'log_shi', 'a*b'];

describe('patterns', () => {
  it.each([
    ['shi*', ['shi', 'shi_log']],
    ['*shi', ['log_shi', 'shi']],
    ['*hi*', ['log_shi', 'shi', 'shi_log']],
    ['s*_*g', ['shi_log']],
    ['*', ['a*b', 'emo', 'log_shi', 'shi', 'shi_log']],
    ['**', ['a*b', 'emo', 'log_shi', 'shi', 'shi_log']],
    ['shi', ['shi']],
    ['sh', []],
    ['shi*shi', []],
    ['.*', []],
  ])('%s', (pattern, expected) => {
    expect(namesMatching(pattern, known)).toEqual(expected);
  });

  it('are quick whatever they hold', () => {
    expect(namesMatching(`${'*a'.repeat(5000)}*b`, ['a'.repeat(50_000)])).toEqual([]);
  });

  it.each(['', 'a?', '[ab]', 'a]'])('refuse %j', (pattern) => {
    refusal('AGGREGATOR_ERROR', () => parseSources({ kind: 'pattern', value: pattern }));
  });

  it('resolve to at least one table and at most ten', () => {
    expect(sourceNames({ kind: 'pattern', value: 'emo' }, known)).toEqual(['emo']);
    refusal('AGGREGATOR_ERROR', () => sourceNames({ kind: 'pattern', value: 'x*' }, known));
    refusal('AGGREGATOR_ERROR', () => sourceNames({ kind: 'pattern', value: '*' }, [...'abcdefghijk']));
  });
});

describe('sources', () => {
  it('are taken as given', () => {
    for (const sources of [
      { kind: 'single', value: 'x' },
      { kind: 'multi', value: ['b', 'a'] },
      { kind: 'pattern', value: 'a*' },
    ])
      expect(parseSources(sources)).toEqual(sources);
    expect(sourceNames({ kind: 'multi', value: ['b', 'a'] }, [])).toEqual(['b', 'a']);
  });

  it('are refused when misshapen', () => {
    expect(invalidity(() => parseSources({ kind: 'all', value: 'x' }))).toMatch(/^sources.kind: kind must be one of/);
    expect(invalidity(() => parseSources({ kind: 'multi', value: 'x' }))).toMatch(/^sources.value: must be an array/);
    expect(invalidity(() => parseSources({ kind: 'multi', value: ['x', 'x'] }))).toMatch(
      /^sources: table 'x' is named/,
    );
    expect(invalidity(() => parseSources({ kind: 'single', value: 'x', table: 1 }))).toMatch(/^sources.table: /);
  });
});
