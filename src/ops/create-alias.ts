/** `alias_create`: a query under a name. */
import { StoreError } from '../errors.js';
import type { AliasColumns } from '../events/alias-body.js';
import { currentVersion } from '../events/catalogue.js';
import type { Caller } from '../events/types.js';
import { invalid } from '../schema/field-errors.js';
import { jsonText } from '../schema/json.js';
import type { AliasScope } from '../tables/alias-stores.js';
import { type AliasDefinition, aliasColumns } from './alias-definition.js';
import type { Store } from './store.js';

export interface CreateAliasInput extends AliasDefinition {
  readonly scope?: AliasScope | undefined;
}

/** @throws StoreError ALIAS_ALREADY_EXISTS, CONFIG_ERROR, and what {@link aliasColumns} refuses. */
export async function createAlias(store: Store, input: CreateAliasInput, caller: Caller): Promise<{ created: string }> {
  const alias = await aliasColumns(store, input);
  const target = await store.registry.aliasStores.writable(input.scope);
  const body = target.scope === 'legacy' ? ownAlias(alias, input) : alias;
  const type = 'alias.created';
  await target.log.append({
    caller,
    decide: (tx) => {
      if (target.aliases.get(alias.name) !== null) throw new StoreError('ALIAS_ALREADY_EXISTS', { name: alias.name });
      tx.append({ type, version: currentVersion(type), rowId: null, body: jsonText(body) });
    },
  });
  return { created: alias.name };
}

/** A table's own database keeps neither sources nor aggregator, fields and order_by: refused rather than forgotten. */
function ownAlias(alias: AliasColumns, { sources }: CreateAliasInput): AliasColumns {
  const reason = 'cannot be kept in legacy single-table mode; set MINI_APP_USER_DIR or MINI_APP_PROJECT_DIR';
  const { kind } = JSON.parse(alias.sources ?? '{}') as { kind?: string };
  if (sources !== undefined && kind !== 'single') throw invalid('sources', `kind ${kind} ${reason}`);
  for (const key of ['aggregator', 'fields', 'order_by'] as const) {
    if (alias[key] !== null) throw invalid(key, reason);
  }
  return { ...alias, sources: null };
}
