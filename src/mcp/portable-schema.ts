/**
 * Published schemas that every client takes: no `$ref`, no `type` arrays, no combinators at the root, no untyped value,
 * no `format` or `pattern`, typed `items`, bounded integers. A view from outside only: zod decides at run time.
 */
import { z } from 'zod';

/** A JSON Schema object, 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A published schema, and what about it is not portable (empty: it can be published). */
export interface PortableSchema {
  readonly schema: JsonSchema;
  readonly problems: readonly string[];
}

/** The published form of a payload: its root is a closed object. */
export function portableInput(payload: z.ZodType): PortableSchema {
  const { schema, problems } = portable(payload, 'input');
  if (schema.type !== 'object') return { schema, problems: [...problems, 'the payload root is no object'] };
  const { type, properties, additionalProperties: others = false, ...rest } = schema;
  const open = others === false ? [] : ['the payload root takes arguments of any name; name each of them'];
  const published = { type, properties: properties ?? {}, ...rest, additionalProperties: false };
  return { schema: published, problems: [...problems, ...open] };
}

/** The published form of a success value, under the key `value` that structured content has it under. */
export function portableOutput(success: z.ZodType): PortableSchema {
  const { schema, problems } = portable(success, 'input', false);
  return { schema: { type: 'object', properties: { value: schema }, required: ['value'] }, problems };
}

/** @param isRoot whether it is published as the root of a document, where no combinator may stand. */
function portable(source: z.ZodType, io: 'input' | 'output', isRoot = true): PortableSchema {
  const problems: string[] = [];
  const generated = generate(source, io, problems);
  if (isRoot) checkRoot(generated, problems);
  return { schema: schemaAt(generated, '', problems), problems };
}

function generate(source: z.ZodType, io: 'input' | 'output', problems: string[]): JsonSchema {
  try {
    return z.toJSONSchema(source, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'any',
      cycles: 'throw',
      reused: 'inline',
    });
  } catch (error) {
    problems.push(`no JSON Schema can be made of it: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

const dropped = new Set(['$schema', '$id', '$comment', 'format', 'pattern', 'id', '~standard']);
const rootCombinators = ['anyOf', 'oneOf', 'allOf', 'not', 'if'];

function checkRoot(source: JsonSchema, problems: string[]): void {
  for (const keyword of rootCombinators) if (keyword in source) problems.push(`the root has '${keyword}'`);
}

function schemaAt(source: JsonSchema, path: string, problems: string[]): JsonSchema {
  const where = path === '' ? 'the root' : `'${path}'`;
  if ('$ref' in source || '$defs' in source) problems.push(`${where} is recursive or shared by reference`);
  const result = splitTypes(typedLiterals(copied(source, path, problems)));
  checkTyped(result, where, problems);
  return result;
}

function copied(source: JsonSchema, path: string, problems: string[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(source)) {
    if (!dropped.has(keyword)) result[keyword] = keywordValue(keyword, value, path, problems);
  }
  return result;
}

function keywordValue(keyword: string, value: unknown, path: string, problems: string[]): unknown {
  if (keyword === 'properties' && isSchema(value)) {
    const entries = Object.entries(value).map(([name, member]) => [name, nested(member, `${path}.${name}`, problems)]);
    return Object.fromEntries(entries);
  }
  if (keyword === 'items') return nested(value, `${path}[]`, problems);
  if (keyword === 'additionalProperties' && isSchema(value)) {
    return Object.keys(value).length === 0 ? true : nested(value, `${path}.*`, problems);
  }
  if (keyword === 'anyOf' && Array.isArray(value)) {
    return value.map((member, index) => nested(member, `${path}|${index}`, problems));
  }
  return value;
}

function nested(value: unknown, path: string, problems: string[]): unknown {
  if (isSchema(value)) return schemaAt(value, path.replace(/^\./, ''), problems);
  problems.push(`'${path}' is a boolean schema`);
  return value;
}

/** A constant is published as the only member of an enumeration, because some converters drop `const`. */
function typedLiterals(schema: Record<string, unknown>): Record<string, unknown> {
  if (!('const' in schema)) return schema;
  const { const: literal, ...rest } = schema;
  return { ...rest, type: typeof literal, enum: [literal] };
}

function splitTypes(schema: Record<string, unknown>): Record<string, unknown> {
  const types = schema.type;
  if (!Array.isArray(types)) return schema;
  const { type: _types, ...rest } = schema;
  return { ...rest, anyOf: types.map((type: unknown) => ({ type })) };
}

function checkTyped(schema: JsonSchema, where: string, problems: string[]): void {
  if (typeof schema.type !== 'string' && !Array.isArray(schema.anyOf) && !('$ref' in schema)) {
    problems.push(`${where} has no type`);
  }
  if (schema.type === 'array' && !isSchema(schema.items)) problems.push(`${where} is an array without items`);
  if (schema.type === 'integer' && !(isBound(schema, 'Minimum') && isBound(schema, 'Maximum'))) {
    problems.push(`${where} is an integer without bounds`);
  }
}

function isBound(schema: JsonSchema, side: 'Minimum' | 'Maximum'): boolean {
  const inclusive = side === 'Minimum' ? 'minimum' : 'maximum';
  const exclusive = side === 'Minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
  return typeof schema[inclusive] === 'number' || typeof schema[exclusive] === 'number';
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
