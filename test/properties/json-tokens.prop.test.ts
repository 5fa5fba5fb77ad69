import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asJsonObjectText, type JsonText, type JsonValue, jsonText } from '../../src/schema/json.js';
import { exactValue, prettyJson } from '../../src/schema/json-tokens.js';
import { propertyRuns } from '../helpers/property-runs.js';

const value = fc.jsonValue({ maxDepth: 4 }).map((any) => any as JsonValue);

it('pretty text is what JSON.stringify writes', () => {
  fc.assert(
    fc.property(value, (any) => prettyJson(jsonText(any)) === JSON.stringify(any, null, 2)),
    propertyRuns(300),
  );
});

it('exact values are the values', () => {
  const plain = (any: unknown): unknown => {
    if (any instanceof Map) return [...any].map(([key, member]) => [key, plain(member)]);
    if (Array.isArray(any)) return any.map(plain);
    return typeof any === 'object' && any !== null
      ? Object.entries(any).map(([key, member]) => [key, plain(member)])
      : any;
  };
  const isExact = (any: JsonValue) => !/\d{16}/.test(JSON.stringify(any));
  fc.assert(
    fc.property(value.filter(isExact), (any) => {
      expect(plain(exactValue(jsonText(any)))).toEqual(plain(JSON.parse(jsonText(any))));
    }),
    propertyRuns(300),
  );
});

it('order of keys, digits and number forms survive', () => {
  const text = '{"10":1.0,"9":12345678901234567890,"__proto__":{"b":-0,"a":[ ]},"s":"\\ud83d\\ude00\\"{"}';
  const exact = exactValue(asJsonObjectText(text) ?? ('{}' as JsonText));
  expect(exact).toEqual(
    new Map<string, unknown>([
      ['10', 1],
      ['9', 12345678901234567890n],
      [
        '__proto__',
        new Map<string, unknown>([
          ['b', -0],
          ['a', []],
        ]),
      ],
      ['s', '😀"{'],
    ]),
  );
  expect(prettyJson(text as JsonText)).toBe(
    '{\n  "10": 1.0,\n  "9": 12345678901234567890,\n  "__proto__": {\n    "b": -0,\n    "a": []\n  },\n  "s": "\\ud83d\\ude00\\"{"\n}',
  );
});
