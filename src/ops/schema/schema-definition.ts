/** What a caller says of a table's shape, and the schema that it makes (surface.md §4.8, §4.9). */
import { z } from 'zod';
import { StoreError } from '../../errors.js';
import { invalid } from '../../schema/field-errors.js';
import {
  type DumpSettings,
  type FieldSchema,
  type FieldType,
  fieldTypes,
  type TableSchema,
} from '../../schema/table-schema.js';

const text = z.string('must be a string').nullish();

/** Keys of a definition, for the strict objects that hold one. */
export const definitionShape = {
  title: text,
  description: text,
  fields: z.array(
    z.strictObject({
      name: z.string('must be a string').min(1, 'must not be empty'),
      type: z.string('must be a string'),
      required: z.boolean('must be true or false').nullish(),
      description: text,
    }),
    'must be a list of fields {name, type, required?, description?}',
  ),
  /** Null switches it off; absent leaves it as it is. */
  dump: z
    .strictObject({
      dir: text,
      title_field: text,
      body_field: text,
      sync: z.enum(['write-only', 'bidirectional'], 'must be write-only or bidirectional').nullish(),
    })
    .nullish(),
  history: z.enum(['full', 'off'], 'must be full or off').nullish(),
  indexes: z.array(z.string('must be a field name'), 'must be a list of field names').nullish(),
};

const definition = z.object(definitionShape);
export type SchemaDefinition = z.infer<typeof definition>;

/**
 * The schema of a definition. Of an existing one `table`, and what the definition leaves out of dump, history and indexes,
 * stay; a title or description that is left out goes.
 * @throws StoreError VALIDATION_ERROR: `fields[<name>].type`, `fields[<name>].name`, `indexes`.
 */
export function buildSchema(name: string, given: SchemaDefinition, existing: TableSchema | null): TableSchema {
  const fields = given.fields.map(fieldSchema);
  assertDistinct(fields);
  const indexes = given.indexes == null ? keptIndexes(existing, fields) : newIndexes(given.indexes, fields);
  return {
    table: existing?.table ?? name,
    title: given.title ?? null,
    description: given.description ?? null,
    fields,
    dump: given.dump === undefined ? (existing?.dump ?? null) : dumpSettings(given.dump),
    history: given.history ?? existing?.history ?? 'full',
    ...(indexes.length === 0 ? {} : { indexes }),
  };
}

function fieldSchema({ name, type, required, description }: SchemaDefinition['fields'][number]): FieldSchema {
  const known = fieldTypes.find((candidate) => candidate === type);
  if (known === undefined) throw invalid(`fields[${name}].type`, `must be one of ${fieldTypes.join(', ')}`);
  return { name, type: known, required: required ?? false, description: description ?? null };
}

function assertDistinct(fields: readonly FieldSchema[]): void {
  const seen = new Set<string>();
  for (const { name } of fields) {
    if (seen.has(name)) throw invalid(`fields[${name}].name`, 'must be unique: an earlier field has it');
    seen.add(name);
  }
}

const indexable: readonly FieldType[] = ['string', 'number', 'boolean'];

function newIndexes(names: readonly string[], fields: readonly FieldSchema[]): string[] {
  for (const name of names) {
    const type = fields.find((field) => field.name === name)?.type;
    if (type !== undefined && indexable.includes(type)) continue;
    throw new StoreError(
      'VALIDATION_ERROR',
      { field: 'indexes', reason: `'${name}' is no field of type string, number or boolean` },
      { hint: 'Name declared fields that list filters by with eq or in, or sorts by.' },
    );
  }
  return [...new Set(names)];
}

/** An index goes with its field. */
function keptIndexes(existing: TableSchema | null, fields: readonly FieldSchema[]): string[] {
  const names = new Set(fields.map((field) => field.name));
  return (existing?.indexes ?? []).filter((name) => names.has(name));
}

function dumpSettings(dump: SchemaDefinition['dump']): DumpSettings | null {
  if (dump == null) return null;
  const { dir = null, title_field = null, body_field = null, sync = null } = dump;
  return { dir, title_field, body_field, sync };
}

/** What differs between two schemas in names and types, each list sorted. */
export interface FieldChanges {
  readonly fields_added: readonly string[];
  readonly fields_removed: readonly string[];
  readonly fields_type_changed: readonly string[];
}

export function fieldChanges(before: TableSchema | null, after: TableSchema | null): FieldChanges {
  const old = new Map((before?.fields ?? []).map((field) => [field.name, field.type]));
  const now = new Map((after?.fields ?? []).map((field) => [field.name, field.type]));
  return {
    fields_added: [...now.keys()].filter((name) => !old.has(name)).sort(),
    fields_removed: [...old.keys()].filter((name) => !now.has(name)).sort(),
    fields_type_changed: [...now]
      .flatMap(([name, type]) => (old.has(name) && old.get(name) !== type ? [name] : []))
      .sort(),
  };
}
