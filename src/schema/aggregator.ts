/** Aggregators: what they are and what a caller may send (storage.md §17, rulings §2 "aggregates"). */
import { z } from 'zod';
import { StoreError } from '../errors.js';
import { invalid, invalidShape, requireField } from './field-errors.js';
import { type Filter, parseFilter } from './filter.js';
import type { TableSchema } from './table-schema.js';

/** One number or text out of many rows. */
export type Measure =
  | { readonly kind: 'count' }
  | { readonly kind: 'sum' | 'avg' | 'min' | 'max'; readonly field: string };

/** An aggregator that fits its table. Its JSON is the stored form of an alias. */
export type Aggregator =
  | Measure
  | {
      readonly kind: 'group_by';
      readonly by_field: string;
      /** Tests the group's key only. */
      readonly having: Filter | null;
      readonly inner: Measure | null;
    };

export const measureKinds = ['count', 'sum', 'avg', 'min', 'max'] as const;

/**
 * Checks an aggregator against the schema of the first source.
 * @throws StoreError AGGREGATOR_ERROR for nested groups; VALIDATION_ERROR with a field's name when it is unknown, or when
 *   `having` asks for more than the key, else with a path from `aggregator` on.
 */
export function parseAggregator(schema: TableSchema, input: unknown): Aggregator {
  refuseNested(input);
  const parsed = aggregator.safeParse(input);
  if (!parsed.success) throw invalidShape('aggregator', parsed.error);
  const shaped = parsed.data;
  if (shaped.kind !== 'group_by') return known(schema, shaped);
  const { name } = requireField(schema, shaped.by_field);
  const having = shaped.having == null ? null : parseFilter(schema, shaped.having);
  if (having !== null) requireOnly(name, having);
  return { kind: 'group_by', by_field: name, having, inner: shaped.inner == null ? null : known(schema, shaped.inner) };
}

const field = z.string('must be a field name');
const count = z.strictObject({ kind: z.literal('count') });
const ofField = z.strictObject({ kind: z.enum(['sum', 'avg', 'min', 'max']), field });
const messageOf =
  (kinds: readonly string[]) =>
  (issue: { readonly code?: string | undefined }): string | undefined => {
    if (issue.code === 'unrecognized_keys') return 'unknown key';
    return issue.code === 'invalid_union' ? `kind must be one of ${kinds.join(', ')}` : 'must be an aggregator object';
  };
const measure = z.discriminatedUnion('kind', [count, ofField], { error: messageOf(measureKinds) });
const groupBy = z.strictObject({
  kind: z.literal('group_by'),
  by_field: field,
  having: z.unknown().optional(),
  inner: measure.nullish(),
});
const aggregator = z.discriminatedUnion('kind', [count, ofField, groupBy], {
  error: messageOf([...measureKinds, 'group_by']),
});

function known(schema: TableSchema, shaped: Measure): Measure {
  if (shaped.kind !== 'count') requireField(schema, shaped.field);
  return shaped;
}

function refuseNested(input: unknown): void {
  const inner = member(input, 'inner');
  if (member(inner, 'kind') !== 'group_by') return;
  throw new StoreError('AGGREGATOR_ERROR', { detail: 'group_by cannot be nested in another group_by' });
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** On any other field a group has many values, and no answer would be the right one. */
function requireOnly(name: string, having: Filter): void {
  if ('filters' in having) {
    for (const child of having.filters) requireOnly(name, child);
  } else if (having.field !== name) {
    throw invalid(having.field, `having can test only the by_field '${name}'; put other conditions into filter`);
  }
}
