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

/** What helps to correct a shape: the keys at the top, and the form as an example. */
export interface ShapeHelp {
  readonly known?: readonly string[];
  readonly hint?: string;
}

/**
 * What is wrong with a shape that did not fit, its path written behind the argument's name. A key that is unknown is told
 * first: a misspelt one is also why another is missing.
 */
export function invalidShape(
  argument: string,
  error: ZodError,
  { known = [], hint }: ShapeHelp = {},
): StoreError<'VALIDATION_ERROR'> {
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  if (issue === undefined) return invalid(argument, 'has the wrong shape', hint);
  const field = pathText(argument, issue);
  if (issue.code !== 'unrecognized_keys') return invalid(field, reasonOf(issue), hint);
  const meant = issue.path.length === 0 ? nearest(issue.keys[0] ?? '', known) : undefined;
  return invalid(field, 'unknown key', meant === undefined ? hint : `Did you mean '${meant}'?`);
}

/** What the library says of a value that is not there helps nobody. */
function reasonOf({ message }: z.core.$ZodIssue): string {
  return /received undefined$/.test(message) ? 'is required' : message;
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
