import fc from 'fast-check';
import { describe, it } from 'vitest';
import { parseSchema } from '../../src/schema/parse-schema.js';
import { renderSchema } from '../../src/schema/render-schema.js';
import { type FieldSchema, fieldTypes, type TableSchema } from '../../src/schema/table-schema.js';
import { refusal } from '../schema/refusal.js';

const tricky = [
  'off',
  'null',
  '~',
  'yes',
  'NO',
  '1.0',
  '0x10',
  '1e3',
  '.inf',
  '- a',
  'a: b',
  '#',
  ' x',
  'x ',
  '\n',
  'a\r\nb',
  '\t',
  '&a',
  '*a',
  '!x',
  '|',
  '>',
  '%',
  '@',
  '`',
  '"',
  "'",
  '{}',
  '[]',
  '<<',
  '---',
  '...',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\uffff',
  '\0',
  '2024-01-01',
  '=',
  '?',
];
const text = fc.oneof(
  fc.constantFrom(...tricky),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.lorem(),
);
const name = text.filter((value) => value !== '');
const optional = fc.option(text, { nil: null });

const field: fc.Arbitrary<FieldSchema> = fc.record({
  name,
  type: fc.constantFrom(...fieldTypes),
  required: fc.boolean(),
  description: optional,
});
const dump = fc.record({
  dir: optional,
  title_field: optional,
  body_field: optional,
  sync: fc.constantFrom('write-only' as const, 'bidirectional' as const, null),
});
const schema: fc.Arbitrary<TableSchema> = fc.record({
  table: name,
  title: optional,
  description: optional,
  fields: fc.uniqueArray(field, { selector: (one) => one.name, maxLength: 6 }),
  dump: fc.option(dump, { nil: null }),
  history: fc.constantFrom('full' as const, 'off' as const),
});

describe('schema.yaml', () => {
  it('refuses arbitrary text with a line, or reads it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          fc.array(text).map((parts) => parts.join('\n')),
        ),
        (yaml) => {
          try {
            parseSchema(yaml, 'schema.yaml');
          } catch {
            const { fields } = refusal('SCHEMA_ERROR', () => parseSchema(yaml, 'schema.yaml'));
            return 'line' in fields && typeof fields.line === 'number' && fields.line >= 1;
          }
          return true;
        },
      ),
    );
  });

  it('comes back exactly as it was written', () => {
    fc.assert(
      fc.property(schema, (written) => {
        const read = parseSchema(renderSchema(written), 'schema.yaml');
        return JSON.stringify(read) === JSON.stringify(written);
      }),
      { numRuns: 300 },
    );
  });
});
