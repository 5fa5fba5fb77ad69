/** The refusals that filter, order_by and field selector have in common. */
import type { ZodError, z } from 'zod';
import { StoreError } from '../errors.js';
import { nearest } from './suggest.js';
import type { FieldSchema, TableSchema } from './table-schema.js';
import { fieldOf } from './table-schema.js';

/** @throws StoreError VALIDATION_ERROR, reason `unknown field`, with the nearest name as hint. */
export function requireField(schema: TableSchema, name: string, alsoKnown: readonly string[] = []): FieldSchema {
  const field = fieldOf(schema, name);
  if (field !== undefined) return field;
  const known = [...schema.fields.map((candidate) => candidate.name), ...alsoKnown];
  throw new StoreError('VALIDATION_ERROR', { field: name, reason: 'unknown field' }, { hint: hintFor(name, known) });
}

/** VALIDATION_ERROR, with the default hint unless a better one is given. */
export function invalid(field: string, reason: string, hint?: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError('VALIDATION_ERROR', { field, reason }, hint === undefined ? {} : { hint });
}

/** The first issue of a shape that did not fit, its path written behind the argument's name. */
export function invalidShape(argument: string, error: ZodError, hint?: string): StoreError<'VALIDATION_ERROR'> {
  const issue = error.issues[0];
  if (issue === undefined) return invalid(argument, 'has the wrong shape', hint);
  return invalid(pathText(argument, issue), issue.message, hint);
}

function pathText(argument: string, issue: z.core.$ZodIssue): string {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    argument,
  );
}

function hintFor(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const list = known.slice(0, 40).join(', ');
  const fields = known.length === 0 ? 'The table has no fields.' : `Fields: ${list}${known.length > 40 ? ', …' : ''}.`;
  return near === undefined ? fields : `Did you mean '${near}'? ${fields}`;
}
