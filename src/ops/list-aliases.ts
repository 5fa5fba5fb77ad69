/** `alias_list`: the aliases of all scopes, by name; the project's shadow the user's. */
import { namesMatching, type Sources } from '../schema/sources.js';
import type { Store } from './store.js';
import { type AliasView, aliasView, ownTable, sourcesOf } from './stored-alias.js';

export interface ListAliasesInput {
  /** Only aliases that read this table. */
  readonly table?: string | undefined;
}

export async function listAliases(store: Store, { table }: ListAliasesInput): Promise<AliasView[]> {
  const byName = new Map<string, AliasView>();
  for (const found of await store.registry.aliasStores.readable()) {
    const own = ownTable(store, found);
    for (const alias of found.aliases.list()) {
      if (!byName.has(alias.name)) byName.set(alias.name, aliasView(alias, found.scope, own));
    }
  }
  const views = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return table === undefined ? views : views.filter((view) => reads(view, table));
}

function reads(view: AliasView, table: string): boolean {
  try {
    return names(sourcesOf(view), table);
  } catch {
    // Sources that cannot be read name no table.
    return false;
  }
}

function names(sources: Sources | null, table: string): boolean {
  if (sources === null) return false;
  if (sources.kind === 'pattern') return namesMatching(sources.value, [table]).length > 0;
  return sources.kind === 'single' ? sources.value === table : sources.value.includes(table);
}
