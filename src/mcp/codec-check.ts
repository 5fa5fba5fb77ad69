/** Whether a schema can be used as a codec: both ways where that is needed, and without waiting for anything. */
import { z } from 'zod';
import type { JsonSchema } from './portable-schema.js';

/** Whether a value could be decoded with the schema but never encoded again. */
export function isOneWay(schema: z.ZodType): boolean {
  return someDefinition(schema, (definition) => definition.type === 'transform');
}

/**
 * Whether decoding or encoding has to wait. Async functions are seen; a plain function that returns a promise shows itself
 * when it is run, for which a value is made up that the published schema allows.
 * @param member the member of the published object that the schema is of; its root when absent.
 */
export function isAsynchronous(schema: z.ZodType, published: JsonSchema, member?: string): boolean {
  if (someDefinition(schema, hasAsyncFunction)) return true;
  const sample = sampleOf(published);
  return waits(schema, member !== undefined && isRecord(sample) ? sample[member] : sample);
}

type Definition = Readonly<Record<string, unknown>>;

/** A lazy schema can go on for ever; such a payload is refused as recursive. */
const mostParts = 10_000;

/** Looks at a schema, its checks and everything below, each once: a schema may hold itself. */
function someDefinition(schema: z.ZodType, isFound: (definition: Definition) => boolean): boolean {
  const parts = new Set<unknown>([schema]);
  for (const part of parts) {
    const definition = definitionOf(part);
    if (definition === undefined) continue;
    if (isFound(definition)) return true;
    if (parts.size < mostParts) for (const below of partsOf(definition)) parts.add(below);
  }
  return false;
}

function definitionOf(part: unknown): Definition | undefined {
  if (!isRecord(part) || !isRecord(part._zod) || !isRecord(part._zod.def)) return undefined;
  return part._zod.def;
}

function partsOf(definition: Definition): unknown[] {
  if (definition.type === 'lazy' && typeof definition.getter === 'function') return [definition.getter()];
  return keysOf(definition).flatMap((key) => {
    const value = definition[key];
    if (Array.isArray(value)) return value;
    return isRecord(value) && !('_zod' in value) ? Object.values(value) : [value];
  });
}

function hasAsyncFunction(definition: Definition): boolean {
  return keysOf(definition).some((key) => Object.prototype.toString.call(definition[key]) === '[object AsyncFunction]');
}

/** Reading these two runs the author's code for a value. */
function keysOf(definition: Definition): string[] {
  return Object.keys(definition).filter((key) => key !== 'defaultValue' && key !== 'catchValue');
}

function waits(schema: z.ZodType, sample: unknown): boolean {
  try {
    const decoded = schema.safeParse(sample, once);
    if (decoded.success) schema.safeEncode(decoded.data, once);
    return false;
  } catch (error) {
    // What else goes wrong with a made-up value says nothing of the schema.
    return error instanceof z.core.$ZodAsyncError;
  }
}

/** Compiling a schema pays for itself by the second call only, which most tools never see. */
const once = { jitless: true };

/** A small value that a published schema allows, but for limits that no schema tells. */
function sampleOf(schema: unknown): unknown {
  if (!isRecord(schema)) return null;
  const [choice] = [schema.enum, schema.anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (Array.isArray(schema.enum)) return choice;
  if (Array.isArray(schema.anyOf)) return sampleOf(choice);
  return sampleOfType(schema);
}

function sampleOfType(schema: Definition): unknown {
  if (schema.type === 'string') return 'x'.repeat(Math.min(numberAt(schema, 'minLength'), 10_000));
  if (schema.type === 'number' || schema.type === 'integer') return Math.max(0, numberAt(schema, 'minimum'));
  if (schema.type === 'boolean') return false;
  if (schema.type === 'array') {
    return Array.from({ length: Math.min(numberAt(schema, 'minItems') || 1, 100) }, () => sampleOf(schema.items));
  }
  if (schema.type !== 'object' || !isRecord(schema.properties)) return {};
  return Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, sampleOf(member)]));
}

function numberAt(schema: Definition, keyword: string): number {
  const value = schema[keyword];
  return typeof value === 'number' ? value : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
