import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkCatalogue, currentVersion, eventCatalogue, isKnown, upcast } from '../../src/events/catalogue.js';
import type { JsonText } from '../../src/schema/json.js';

const body = '{"a":1}' as JsonText;
const event = (type: string, version: number) => ({ seq: 7, type, version, rowId: 'x', body });
const renamed = (step: string) => (text: JsonText) => text.replace(/^\{"\w/, `{"${step}`) as JsonText;
const grown = { grown: { version: 3, body: z.unknown(), upcasters: { 1: renamed('b'), 2: renamed('c') } } };

describe('an event that this version does not know', () => {
  test.each([
    ['type', event('row.painted', 1)],
    ['version', event('row.created', 2)],
  ])('by its %s stops what needs to read it', (_name, unknown) => {
    expect(() => upcast(unknown)).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_EVENT',
        fields: { seq: 7, type: unknown.type, version: unknown.version },
      }),
    );
    expect(isKnown(unknown)).toBe(false);
  });

  test('cannot be written', () => {
    expect(() => currentVersion('row.painted')).toThrow('row.painted');
  });
});

describe('the chain of upcasters', () => {
  test.each([
    ['a gap', { 2: renamed('c') }, 'no upcaster from version 1'],
    ['a step too many', { 1: renamed('b'), 2: renamed('c'), 3: renamed('d') }, 'leads nowhere'],
    ['a step from nothing', { 0: renamed('a'), 1: renamed('b'), 2: renamed('c') }, 'leads nowhere'],
  ])('with %s does not start', (_name, upcasters, message) => {
    expect(() => checkCatalogue({ grown: { version: 3, body: z.unknown(), upcasters } })).toThrow(message);
  });

  test('of today is whole', () => {
    expect(() => checkCatalogue()).not.toThrow();
    expect(() => checkCatalogue(grown)).not.toThrow();
  });

  test.each([
    [1, '{"c":1}'],
    [2, '{"c":1}'],
    [3, '{"a":1}'],
  ])('leads from version %d to the newest, step by step', (version, expected) => {
    expect(upcast(event('grown', version), grown)).toMatchObject({ version: 3, body: expected });
  });
});

test('an event of today passes as it is', () => {
  for (const [type, { version }] of Object.entries(eventCatalogue)) {
    const present = event(type, version);
    expect(upcast(present)).toBe(present);
    expect(currentVersion(type)).toBe(version);
  }
});
