import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { concatenated, rowText } from '../../src/ops/materialized-text.js';
import { type JsonObject, type JsonValue, membersOf } from '../../src/schema/json.js';
import { propertyRuns } from '../helpers/property-runs.js';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom('a', ' ', '\n', '\r', '\t', '#', ':', '- ', '"', "'", '\\', '---\n', 'no', '\u2028', '\u0085'),
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(
    'no',
    'null',
    '~',
    '1',
    '0x1',
    '1e3',
    '1:30',
    '2020-01-01',
    '.inf',
    '---',
    '...',
    '=',
    '<<',
    'a'.repeat(200),
  ),
);
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 4 }),
  fc.dictionary(text, scalar, { maxKeys: 4 }),
);
const data: fc.Arbitrary<JsonObject> = fc.dictionary(text, value, { maxKeys: 5 });
const plain = (any: unknown) => JSON.parse(JSON.stringify(any));

it('YAML files say what the row says', async () => {
  const property = fc.asyncProperty(data, async (row) => {
    const yaml = await rowText('yaml', { id: 'x', members: membersOf(row) });
    expect(parse(yaml)).toEqual(plain(row));
  });
  await fc.assert(property, propertyRuns(300));
});

it('JSON files say what the rows say', async () => {
  const property = fc.asyncProperty(fc.array(data, { maxLength: 3 }), async (rows) => {
    const json = await concatenated(
      'json',
      rows.map((row) => ({ id: 'x', members: membersOf(row) })),
    );
    expect(JSON.parse(json)).toEqual(plain(rows));
  });
  await fc.assert(property, propertyRuns(100));
});
