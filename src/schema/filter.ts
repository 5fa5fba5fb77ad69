/** Filters: what they are and what a caller may send (storage.md §8, rulings §2 "filters"). `list-sql.ts` runs them. */
import { z } from 'zod';
import { invalid, invalidShape, requireField } from './field-errors.js';
import { assertFilterSize } from './filter-size.js';
import { fieldValue, likePattern, type Scalar, scalarItem } from './filter-value.js';
import type { TableSchema } from './table-schema.js';

/** A filter that fits its table. Its JSON is the stored form: `type` first, then the keys as they stand here. */
export type Filter =
  | { readonly type: 'eq'; readonly field: string; readonly value: Scalar }
  | { readonly type: 'in'; readonly field: string; readonly values: readonly Scalar[] }
  | { readonly type: 'like'; readonly field: string; readonly pattern: string }
  | { readonly type: 'array_contains'; readonly field: string; readonly value: Scalar }
  | { readonly type: 'array_not_contains'; readonly field: string; readonly value: Scalar }
  | { readonly type: 'or'; readonly filters: readonly Filter[] }
  | { readonly type: 'and'; readonly filters: readonly Filter[] };

const types = ['eq', 'in', 'like', 'array_contains', 'array_not_contains', 'or', 'and'] as const;

/**
 * Checks a filter against the schema. A value that a client turned into a string ("8", "true") is taken as the number or
 * boolean that the field holds when nothing is lost. Keys that are null count as absent.
 * @throws StoreError VALIDATION_ERROR: the field's name, `filters` for an empty `or`/`and`, else a path from `filter` on.
 */
export function parseFilter(schema: TableSchema, input: unknown): Filter {
  assertFilterSize(input);
  return parseNode(schema, input, 'filter');
}

const field = z.string('must be a field name');
const value = z.unknown().optional();
const filters = z.array(z.unknown(), 'must be an array of filters');

const node = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('eq'), field, value }),
    z.strictObject({ type: z.literal('in'), field, values: z.array(z.unknown(), 'must be an array of values') }),
    z.strictObject({ type: z.literal('like'), field, pattern: z.string('must be a string') }),
    z.strictObject({ type: z.literal('array_contains'), field, value }),
    z.strictObject({ type: z.literal('array_not_contains'), field, value }),
    z.strictObject({ type: z.literal('or'), filters }),
    z.strictObject({ type: z.literal('and'), filters }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? `must be one of ${types.join(', ')}` : 'must be a filter object',
  },
);

const shapeHint =
  'A filter is one object, such as {"type":"eq","field":"state","value":"open"}. docs://filters shows every form.';

type Node = z.infer<typeof node>;

// The size check ran before, so the recursion is at most 32 deep.
function parseNode(schema: TableSchema, input: unknown, path: string): Filter {
  const parsed = node.safeParse(withoutNulls(input));
  if (!parsed.success) throw invalidShape(path, parsed.error, { hint: shapeHint });
  const shaped = parsed.data;
  if (shaped.type !== 'or' && shaped.type !== 'and') return parseLeaf(schema, shaped);
  if (shaped.filters.length === 0) throw invalid('filters', 'must not be empty');
  const children = shaped.filters.map((child, index) => parseNode(schema, child, `${path}.filters[${index}]`));
  return { type: shaped.type, filters: children };
}

function parseLeaf(schema: TableSchema, leaf: Exclude<Node, { type: 'or' | 'and' }>): Filter {
  const declared = requireField(schema, leaf.field);
  switch (leaf.type) {
    case 'eq':
      return { type: leaf.type, field: leaf.field, value: fieldValue(declared, leaf.value) };
    case 'in':
      if (leaf.values.length === 0) throw invalid(leaf.field, 'values must not be empty');
      return { type: leaf.type, field: leaf.field, values: leaf.values.map((item) => fieldValue(declared, item)) };
    case 'like':
      return { type: leaf.type, field: leaf.field, pattern: likePattern(declared, leaf.pattern) };
    case 'array_contains':
    case 'array_not_contains':
      return { type: leaf.type, field: leaf.field, value: scalarItem(declared, leaf.value) };
  }
}

// Some clients send every property of a schema and null for those they do not mean.
function withoutNulls(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, member]) => member !== null));
}

const scalarSchema = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };

/** How a filter is described to clients: bounded, no `$ref`, no type arrays. {@link parseFilter} checks the rest. */
export const filterJsonSchema = {
  type: 'object',
  description:
    'Row filter. or/and: filters; in: values; like: pattern with % and _; eq, array_*: value. Example: ' +
    '{"type":"and","filters":[{"type":"like","field":"title","pattern":"%bug%"}]}',
  properties: {
    type: { type: 'string', enum: [...types] },
    field: { type: 'string' },
    value: scalarSchema,
    values: { type: 'array', items: scalarSchema },
    pattern: { type: 'string' },
    filters: {
      type: 'array',
      items: { type: 'object', description: 'A filter', additionalProperties: true },
    },
  },
  required: ['type'],
};
