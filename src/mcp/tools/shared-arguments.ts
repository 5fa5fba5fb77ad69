/** Arguments that several tools take, each with one meaning and one published form. */
import { z } from 'zod';
import { filterJsonSchema } from '../../schema/filter.js';
import { isJsonObject, type JsonObject } from '../../schema/json.js';

/** Which table; the default table when there is one. */
export const table = z.string().describe('Table name').optional();

/** A row: its full id, or a prefix that only it has. */
export const id = nonEmpty().describe('Row id or unique prefix');

/** Row data as the caller wrote it. The op checks it against the table; a copy here would lose keys like `__proto__`. */
export const data = z
  .custom<JsonObject>(isJsonObject, { error: '(root): value must be a JSON object' })
  .meta({ type: 'object', additionalProperties: true, description: 'Field values by name' });

/** The version that the caller read (rulings 3.6); 0 is that of a row adopted without a history. */
export const expectedVersion = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('Refuse unless the row has this version')
  .optional();

/** For a caller that gives one with every write: a row that is about to be made has no version but 0. */
export const newRowVersion = z
  .literal(0, { error: 'must be 0 or left out: a row that is about to be made has no version yet' })
  .optional();

/** Makes a write repeatable (rulings 3.6). */
export const idempotencyKey = nonEmpty()
  // Storing it would change it, and the log would no longer hold what was hashed.
  .refine((text) => text.isWellFormed(), 'must be Unicode text without lone surrogates')
  .describe('Your own; a repeated call writes once')
  .optional();

/** The field selector, published flat; the op checks names against the table. */
export const fields = published({
  type: 'object',
  properties: {
    mode: { type: 'string', enum: ['all', 'list'] },
    fields: { type: 'array', items: { type: 'string' } },
  },
}).optional();

const { description: _example, ...filterShape } = filterJsonSchema;

/** Any filter of the filter language, published with one level unrolled because clients refuse recursion. */
export const filter = published(filterShape).optional();

/** Sort keys, the first one first. */
export const orderBy = published({
  type: 'array',
  items: {
    type: 'object',
    properties: { field: { type: 'string' }, direction: { type: 'string', enum: ['asc', 'desc'] } },
  },
}).optional();

/** A value that the op parses against the table's schema; here only its published form is known. */
function published(schema: Record<string, unknown>) {
  return z.unknown().meta(schema);
}

/** Lengths are checked and not published: with them the tools would outgrow their budget, and an error tells as much. */
function nonEmpty() {
  return z
    .string()
    .refine((text) => text !== '', 'must not be empty')
    .refine((text) => text.length <= 200, 'must have at most 200 characters');
}
