/** `schema.yaml` to {@link TableSchema} (storage.md §5). The way back is `render-schema.ts`. */
import { z } from 'zod';
import { SchemaSource } from './schema-source.js';
import { fieldOf, fieldTypes, type TableSchema } from './table-schema.js';

/**
 * Reads YAML 1.2 (core schema; no tags of its own, no merge keys). Unknown keys are ignored.
 * @param file how the file is called in errors; of a longer path the last directory and the name are shown.
 * @throws StoreError SCHEMA_ERROR with file, line (from 1) and, where one is at fault, the field's path.
 */
export function parseSchema(text: string, file: string): TableSchema {
  const source = new SchemaSource(file, text);
  const parsed = shape.safeParse(source.value);
  if (!parsed.success) throw source.misshapen(parsed.error);
  const repeated = repeatedField(parsed.data);
  if (repeated !== null) throw source.refused(['fields', repeated, 'name'], 'must be unique: an earlier field has it');
  const { indexes, ...schema } = parsed.data;
  for (const [at, name] of indexes.entries()) {
    if (fieldOf(schema, name) === undefined) throw source.refused(['indexes', at], 'must be the name of a field');
  }
  return indexes.length === 0 ? schema : { ...schema, indexes: [...new Set(indexes)] };
}

const optionalText = z.string('must be a string or null').nullable().default(null);
const name = z.string('must be a string').min(1, 'must not be empty');

const fieldShape = z.object(
  {
    name,
    type: z.enum(fieldTypes, `must be one of ${fieldTypes.join(', ')}`),
    required: z.boolean('must be true or false').default(false),
    description: optionalText,
  },
  'must be a mapping with name and type',
);

const dumpShape = z.object(
  {
    dir: optionalText,
    title_field: optionalText,
    body_field: optionalText,
    sync: z.enum(['write-only', 'bidirectional'], 'must be write-only or bidirectional').nullable().default(null),
  },
  'must be a mapping or null',
);

// The keys of the result stand in this order.
const shape = z.object(
  {
    table: name,
    title: optionalText,
    description: optionalText,
    fields: z.array(fieldShape, 'must be a list of fields'),
    dump: dumpShape.nullable().default(null),
    history: z.enum(['full', 'off'], 'must be full or off').default('full'),
    indexes: z
      .array(name, 'must be a list of field names')
      .nullish()
      .transform((names) => names ?? []),
  },
  'must be a mapping with table and fields',
);

/** The position of the first field whose name an earlier one has. */
function repeatedField(schema: TableSchema): number | null {
  const seen = new Set<string>();
  const index = schema.fields.findIndex((field) => seen.size === seen.add(field.name).size);
  return index === -1 ? null : index;
}
