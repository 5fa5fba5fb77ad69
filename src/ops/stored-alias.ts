/** A stored alias as values: what is shown of it, and what runs. Columns of the predecessor may hold anything. */
import { StoreError } from '../errors.js';
import type { AliasColumns } from '../events/alias-body.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../schema/json.js';
import { parseSources, type Sources } from '../schema/sources.js';
import type { AliasStore } from '../tables/alias-stores.js';
import type { Scope } from '../tables/table.js';
import type { Store } from './store.js';

/** Keys stand in this order on the wire. */
export interface AliasView {
  readonly name: string;
  readonly sources: JsonValue;
  readonly aggregator: JsonValue;
  /** Null for a template. */
  readonly filter: JsonValue;
  readonly filter_template?: string;
  readonly default_limit: number | null;
  readonly description: string | null;
  /** Null when no parameters are declared. */
  readonly params_schema: JsonValue;
  readonly fields: JsonValue;
  readonly order_by: JsonValue;
  readonly scope: Scope;
}

/** @param table the source of an alias that is stored without one, as those in a table's own database. */
export function aliasView(alias: AliasColumns, scope: Scope, table: string | null): AliasView {
  const filter = staticFilter(alias);
  const params = json(alias.params_schema);
  const order = json(alias.order_by);
  return {
    name: alias.name,
    sources: json(alias.sources) ?? (table === null ? null : { kind: 'single', value: table }),
    aggregator: json(alias.aggregator),
    filter,
    ...(filter === null ? { filter_template: alias.filter } : {}),
    default_limit: alias.default_limit,
    description: alias.description,
    params_schema: isEmpty(params) ? null : params,
    fields: json(alias.fields),
    order_by: isEmpty(order) ? null : order,
    scope,
  };
}

/** The predecessor stores such lists too, and takes them for none. */
function isEmpty(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The tables an alias reads; null when the call has to name the table. @throws StoreError SCHEMA_ERROR. */
export function sourcesOf({ name, sources }: Pick<AliasView, 'name' | 'sources'>): Sources | null {
  try {
    const parsed = parseSources(sources);
    return parsed.kind === 'single' && parsed.value === '' ? null : parsed;
  } catch (cause) {
    const hint = 'Delete the alias and create it anew.';
    throw new StoreError(
      'SCHEMA_ERROR',
      { detail: `alias '${name}' is stored with unusable sources` },
      { hint, cause },
    );
  }
}

/** An alias and the store it is in. @throws StoreError ALIAS_NOT_FOUND. */
export async function findAlias(store: Store, name: string): Promise<{ alias: AliasColumns; in: AliasStore }> {
  for (const candidate of await store.registry.aliasStores.readable()) {
    const alias = candidate.aliases.get(name);
    if (alias !== null) return { alias, in: candidate };
  }
  throw new StoreError('ALIAS_NOT_FOUND', { name });
}

/** The name of the table whose own database a store is; null for the store of a directory. */
export function ownTable(store: Store, { scope }: AliasStore): string | null {
  if (scope !== 'legacy') return null;
  return store.registry.tables().find((table) => table.scope === 'legacy')?.name ?? null;
}

/** The stored filter of an alias that is no template. What is stored without parameters and is no JSON was meant as one. */
function staticFilter(alias: AliasColumns): JsonObject | null {
  if (alias.params_schema !== null) return null;
  const filter = json(alias.filter);
  return isJsonObject(filter) ? filter : null;
}

function json(text: string | null): JsonValue {
  if (text === null) return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
