/** The arguments of a call on their way to the payload (rulings 1.6): what is repaired, and how what is wrong is told. */
import type { z } from 'zod';
import { StoreError } from '../errors.js';
import { nearest } from '../schema/suggest.js';
import type { JsonSchema } from './portable-schema.js';

/** The arguments of one `tools/call`, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** One thing that is wrong, and where. */
export interface ArgumentIssue {
  readonly path: string;
  readonly message: string;
}

/** Bad arguments: a VALIDATION_ERROR of kind `input` with extras of its own. */
export class ArgumentError extends StoreError<'VALIDATION_ERROR'> {
  constructor(
    readonly issues: readonly [ArgumentIssue, ...ArgumentIssue[]],
    readonly extras: Readonly<Record<string, unknown>> = {},
    hint = 'Correct the arguments named in issues and repeat the call.',
  ) {
    super('VALIDATION_ERROR', { field: issues[0].path, reason: issues[0].message }, { kind: 'input', hint });
  }

  override toJSON(): Record<string, unknown> {
    const { hint, ...shown } = super.toJSON();
    return { ...shown, issues: this.issues, ...this.extras, hint };
  }
}

/**
 * Repairs what clients are known to do: an object or array sent as JSON text is parsed when it parses to the declared
 * type, and null for an optional argument counts as absent. Nothing below the top level is touched.
 * @throws ArgumentError for an argument that the tool does not have, with the nearest name as `did_you_mean`.
 */
export function repairArguments(given: Arguments, schema: JsonSchema): Arguments {
  const properties = asObject(schema.properties);
  refuseUnknown(given, Object.keys(properties));
  const required = Array.isArray(schema.required) ? schema.required : [];
  const repaired: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null && !required.includes(name)) continue;
    repaired[name] = typeof value === 'string' ? decoded(value, typesOf(asObject(properties[name]))) : value;
  }
  return repaired;
}

/** What zod found, in the words of an answer. */
export function argumentErrorOf(error: z.ZodError): ArgumentError {
  const [first, ...rest] = error.issues.map((issue) => ({ path: pathText(issue.path), message: messageOf(issue) }));
  return new ArgumentError([first ?? { path: '(root)', message: 'invalid arguments' }, ...rest.slice(0, 19)]);
}

function messageOf(issue: z.core.$ZodIssue): string {
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  if (!isMissing) return issue.message;
  // A required argument of any shape: zod has no name for what it expects.
  if (issue.expected === 'nonoptional') return 'missing';
  return `missing, ${/^[aio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected} is required`;
}

function refuseUnknown(given: Arguments, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const [first, ...rest] = unknown;
  if (first === undefined) return;
  const meant = nearest(first, known);
  throw new ArgumentError(
    [unknownArgument(first), ...rest.slice(0, 19).map(unknownArgument)],
    { ...(meant === undefined ? {} : { did_you_mean: meant }), arguments: known },
    meant === undefined ? 'Leave it out, or use one of arguments.' : `Use '${meant}', or leave the argument out.`,
  );
}

function unknownArgument(name: string): ArgumentIssue {
  return { path: name.slice(0, 200), message: 'unknown argument' };
}

function decoded(text: string, types: readonly string[]): unknown {
  if (types.includes('string') || !(types.includes('object') || types.includes('array'))) return text;
  try {
    const value: unknown = JSON.parse(text);
    return types.includes(typeOf(value)) ? value : text;
  } catch {
    return text;
  }
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (typeof schema.type === 'string') return [schema.type];
  return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap((member) => typesOf(asObject(member))) : [];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function asObject(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? '(root)' : text.replace(/^\./, '');
}
