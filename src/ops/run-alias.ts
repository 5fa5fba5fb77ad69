/** `alias_run`: the stored query again, with parameters and another page if need be. */
import { StoreError } from '../errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../schema/json.js';
import { nearest } from '../schema/suggest.js';
import { type Aggregated, aggregateTables, resolveSources } from './aggregate.js';
import { renderApart } from './filter-template/render-apart.js';
import { usedNames } from './filter-template/used-names.js';
import { listRows } from './list-rows.js';
import type { RowRecord, Store } from './store.js';
import { type AliasView, aliasView, findAlias, ownTable, sourcesOf } from './stored-alias.js';

export interface RunAliasInput {
  readonly name: string;
  /** Used only by an alias that is stored without a table; else the stored sources decide. */
  readonly table?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** An object, or the text of one. */
  readonly params?: unknown;
  readonly fields?: unknown;
  readonly order_by?: unknown;
}

/**
 * Rows as `list` answers them, or what the alias's aggregator makes of them. The call's limit, fields and order_by come
 * before the stored ones; an aggregator knows none of them.
 * @throws StoreError ALIAS_NOT_FOUND, ALIAS_PARAMS_REQUIRED, ALIAS_TEMPLATE_ERROR, VALIDATION_ERROR, AGGREGATOR_ERROR,
 *   TABLE_NOT_FOUND, TABLE_REQUIRED.
 */
export async function runAlias(store: Store, input: RunAliasInput): Promise<RowRecord[] | Aggregated> {
  const found = await findAlias(store, input.name);
  const alias = aliasView(found.alias, found.in.scope, ownTable(store, found.in));
  const filter = await filterOf(alias, input.params);
  const sources = sourcesOf(alias);
  if (alias.aggregator !== null) {
    const tables = sources === null ? [store.registry.resolve(input.table)] : resolveSources(store.registry, sources);
    return aggregateTables(tables, { filter, aggregator: alias.aggregator });
  }
  if (sources !== null && sources.kind !== 'single') throw withoutAggregator(alias.name, sources.kind);
  return listRows(store, {
    table: sources?.value ?? input.table,
    filter,
    limit: input.limit ?? alias.default_limit ?? undefined,
    offset: input.offset,
    fields: input.fields ?? alias.fields,
    order_by: input.order_by ?? alias.order_by,
  });
}

async function filterOf(alias: AliasView, params: unknown): Promise<JsonValue> {
  if (alias.filter_template === undefined) {
    refuseParams(alias, params);
    return alias.filter;
  }
  if (params == null && alias.params_schema !== null)
    throw new StoreError('ALIAS_PARAMS_REQUIRED', { name: alias.name });
  const values = params == null ? {} : paramsObject(params);
  refuseUnknown(alias.filter_template, namesIn(alias.params_schema), values);
  return renderApart(alias.filter_template, values);
}

/** A misspelt name of an optional parameter would answer other rows than those meant (rulings 1.6). */
function refuseUnknown(template: string, declared: readonly string[], values: JsonObject): void {
  const used = usedNames(template);
  const unknown = Object.keys(values).find((name) => !declared.includes(name) && !used.has(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, [...declared, ...used]);
  const list = declared.length === 0 ? '' : ` Parameters: ${declared.join(', ')}.`;
  const hint = `${meant === undefined ? 'Leave it out.' : `Did you mean '${meant}'?`}${list}`;
  const reason = 'the alias has no such parameter';
  throw new StoreError('VALIDATION_ERROR', { field: `params.${unknown}`, reason }, { kind: 'input', hint });
}

/** An older program may have stored anything. */
function namesIn(schema: JsonValue): string[] {
  return Array.isArray(schema) ? schema.filter((name) => typeof name === 'string') : [];
}

/** Who passes values means them to count; without a template the rows would be others than those meant. */
function refuseParams({ name }: AliasView, params: unknown): void {
  if (params == null || isEmpty(params)) return;
  const reason = `alias '${name}' has a fixed filter and takes no params`;
  const hint = 'Leave params out, or delete the alias and create it with filter_template.';
  throw new StoreError('VALIDATION_ERROR', { field: 'params', reason }, { kind: 'input', hint });
}

function isEmpty(params: unknown): boolean {
  return params === '' || Object.keys(paramsObject(params)).length === 0;
}

function paramsObject(params: unknown): JsonObject {
  const value = typeof params === 'string' ? parsed(params) : params;
  if (isJsonObject(value)) return value;
  throw new StoreError('ALIAS_TEMPLATE_ERROR', { detail: 'params must be an object of values by name' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StoreError('ALIAS_TEMPLATE_ERROR', { detail: 'params is text that is no JSON object' }, { cause });
  }
}

function withoutAggregator(name: string, kind: string): StoreError<'AGGREGATOR_ERROR'> {
  const detail = `alias '${name}' reads ${kind} sources, for which an aggregator is required`;
  const hint = 'Delete the alias and create it with an aggregator, or with one table.';
  return new StoreError('AGGREGATOR_ERROR', { detail }, { hint });
}
