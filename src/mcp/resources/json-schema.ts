import type { TableSchema } from '../../schema/table-schema.js';

/** The draft-07 schema of `data`, in the predecessor's form. Objects without a prototype: a field may be named `__proto__`. */
export function draft07Of(schema: TableSchema): Record<string, unknown> {
  const properties: Record<string, unknown> = Object.create(null);
  for (const { name, type } of schema.fields) properties[name] = { type };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: schema.table,
    type: 'object',
    properties,
    required: schema.fields.filter((field) => field.required).map((field) => field.name),
    additionalProperties: true,
  };
}
