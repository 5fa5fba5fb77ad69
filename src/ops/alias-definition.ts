/** What an alias may be: everything that can be known at its creation is checked there (rulings §2 "aliases"). */
import type { AliasColumns } from '../events/alias-body.js';
import { parseAggregator } from '../schema/aggregator.js';
import { invalid } from '../schema/field-errors.js';
import { parseFieldSelector } from '../schema/field-selector.js';
import { parseFilter } from '../schema/filter.js';
import { assertFilterSize } from '../schema/filter-size.js';
import { assertStorable, isJsonObject, type JsonValue } from '../schema/json.js';
import { parseOrderBy } from '../schema/order-by.js';
import { parseSources, type Sources } from '../schema/sources.js';
import type { TableSchema } from '../schema/table-schema.js';
import { checkTemplateApart } from './filter-template/render-apart.js';
import type { Store } from './store.js';

export interface AliasDefinition {
  readonly name: string;
  readonly table?: string | undefined;
  readonly sources?: unknown;
  readonly aggregator?: unknown;
  readonly filter?: unknown;
  readonly filter_template?: string | undefined;
  readonly params_schema?: readonly string[] | undefined;
  readonly default_limit?: number | undefined;
  /** Another name of default_limit. */
  readonly limit?: number | undefined;
  readonly description?: string | undefined;
  readonly fields?: unknown;
  readonly order_by?: unknown;
}

/**
 * The columns of a definition. Fields are checked against the first source; those of a pattern are known only when it runs.
 * @throws StoreError VALIDATION_ERROR, ALIAS_TEMPLATE_ERROR, AGGREGATOR_ERROR, TABLE_REQUIRED, TABLE_NOT_FOUND, BUSY.
 */
export async function aliasColumns(store: Store, input: AliasDefinition): Promise<AliasColumns> {
  assertName(input.name);
  const sources = definedSources(store, input);
  const schema = firstSchema(store, sources);
  assertStorable(input.description ?? '', 'description');
  return {
    name: input.name,
    sources: JSON.stringify(sources),
    aggregator: stored(input.aggregator, schema, parseAggregator),
    ...(await filterColumns(schema, input)),
    default_limit: defaultLimit(input),
    description: input.description ?? null,
    fields: stored(input.fields, schema, parseFieldSelector),
    order_by: stored(input.order_by, schema, storedOrder),
  };
}

const longestName = 200;

function assertName(name: string): void {
  if (name.trim() === '') throw invalid('name', 'must not be empty');
  if (name.length > longestName) throw invalid('name', `must not be longer than ${longestName} characters`);
  assertStorable(name, 'name');
}

function definedSources(store: Store, { table, sources }: AliasDefinition): Sources {
  if (sources == null) return { kind: 'single', value: store.registry.resolve(table).name };
  if (table !== undefined) throw invalid('sources', 'sources and table are mutually exclusive: give one of them');
  const parsed = parseSources(sources);
  const named = parsed.kind === 'multi' ? parsed.value : parsed.kind === 'single' ? [parsed.value] : [];
  for (const name of named) store.registry.resolve(name);
  return parsed;
}

function firstSchema(store: Store, sources: Sources): TableSchema | null {
  if (sources.kind === 'pattern') return null;
  const name = sources.kind === 'single' ? sources.value : sources.value[0];
  return store.registry.resolve(name).schema;
}

async function filterColumns(schema: TableSchema | null, input: AliasDefinition) {
  const { filter, filter_template: template, params_schema: params } = input;
  if (filter != null && template !== undefined) {
    throw invalid('filter_template', 'filter and filter_template are mutually exclusive: give one of them');
  }
  if (template !== undefined) {
    await checkTemplateApart(template);
    return { filter: template, params_schema: JSON.stringify(parameterNames(params ?? [])) };
  }
  if (filter == null) throw invalid('filter', 'one of filter and filter_template is required');
  return { filter: JSON.stringify(checkedFilter(schema, filter)), params_schema: null };
}

function checkedFilter(schema: TableSchema | null, filter: unknown): unknown {
  if (schema !== null) return parseFilter(schema, filter);
  assertFilterSize(filter);
  if (!isJsonObject(filter)) throw invalid('filter', 'must be a filter object');
  assertStorable(filter, 'filter');
  return filter;
}

function parameterNames(names: readonly string[]): readonly string[] {
  for (const name of names) {
    if (!/^[A-Za-z_]\w{0,99}$/.test(name)) throw invalid('params_schema', `'${name}' cannot be the name of a variable`);
  }
  if (new Set(names).size !== names.length) throw invalid('params_schema', 'names must be unique');
  return names;
}

function defaultLimit({ default_limit: stored, limit }: AliasDefinition): number | null {
  if (stored !== undefined && limit !== undefined && stored !== limit) {
    throw invalid('default_limit', 'limit is another name of default_limit, and the two differ');
  }
  return stored ?? limit ?? null;
}

function storedOrder(schema: TableSchema, input: unknown) {
  return parseOrderBy(schema, input).map(({ field, direction }) => ({ field, direction }));
}

function stored<T>(
  input: unknown,
  schema: TableSchema | null,
  parse: (schema: TableSchema, input: unknown) => T,
): string | null {
  if (input == null) return null;
  if (schema !== null) return JSON.stringify(parse(schema, input));
  assertStorable(input as JsonValue);
  return JSON.stringify(input);
}
