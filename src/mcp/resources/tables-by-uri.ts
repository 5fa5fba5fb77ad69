/** The table that a schema URI means. */
import { StoreError } from '../../errors.js';
import type { Registry, Table } from '../../tables/table.js';

/** A name counts as it is written first, then percent-decoded. @throws StoreError TABLE_REQUIRED, TABLE_NOT_FOUND. */
export function tableOfUri(registry: Registry, name: string | undefined): Table {
  const tables = registry.tables();
  const known = tables.find((table) => table.name === name) ?? tables.find((table) => table.name === decoded(name));
  return registry.resolve(known?.name ?? name);
}

/** The table that is meant when none is named; null when there is none. */
export function defaultTable(registry: Registry): Table | null {
  try {
    return registry.resolve(undefined);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

function decoded(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
