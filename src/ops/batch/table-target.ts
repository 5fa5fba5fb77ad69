/** Which table a change is about: a mounted one, or one of a scope that is not mounted (yet). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../errors.js';
import { parseSchema } from '../../schema/parse-schema.js';
import { foldName } from '../../schema/table-name.js';
import type { TableSchema } from '../../schema/table-schema.js';
import { readIfThere } from '../../tables/schema-file.js';
import type { Scope, Table, TableDefinition } from '../../tables/table.js';
import type { Store } from '../store.js';

export interface TableTarget {
  readonly name: string;
  readonly scope: Scope;
  readonly schemaPath: string;
  readonly databasePath: string;
  readonly scopeRoot: string;
  /** Whether any scope has a mounted table of this name. */
  readonly isKnown: boolean;
  readonly table: Table;
  /** A table to rehearse with: the table itself when it has a database, else one in memory. */
  rehearsal(): Table;
  /** Closes what was opened for this change alone. */
  close(): Promise<void>;
}

/** The mounted table. @throws StoreError TABLE_REQUIRED, TABLE_NOT_FOUND. */
export function mountedTarget({ registry }: Store, name: string | undefined): TableTarget {
  const table = registry.resolve(name);
  const { scope, schemaPath, databasePath, scopeRoot, schema } = table;
  const place = { name: table.name, scope, schemaPath, databasePath, scopeRoot };
  const rehearsal = () =>
    existsSync(databasePath) ? table : registry.scopes.rehearsal({ ...place, schema, schemaText: '' });
  return { ...place, isKnown: true, table, rehearsal, close: async () => undefined };
}

/**
 * The table of a scope, whether it exists or not.
 * @throws StoreError CONFIG_ERROR; VALIDATION_ERROR, field `table`, when another name differs in letter case only.
 */
export function scopeTarget({ registry }: Store, name: string, scope: 'project' | 'user'): TableTarget {
  const scopeRoot = registry.scopes.directory(scope);
  const schemaPath = join(scopeRoot, name, 'schema.yaml');
  const databasePath = join(scopeRoot, name, `${name}.db`);
  const place = { name, scope, schemaPath, databasePath, scopeRoot };
  assertNoTwin(registry.tables(), name);
  const mounted = registry.tables().find((table) => table.schemaPath === schemaPath);
  const definition = definitionOf(place);
  const table = mounted ?? registry.scopes.draft(definition);
  const rehearsal = existsSync(databasePath) ? table : registry.scopes.rehearsal(definition);
  return {
    ...place,
    isKnown: registry.tables().some((other) => other.name === name),
    table,
    rehearsal: () => rehearsal,
    close: async () => {
      if (mounted === undefined) await table.close();
      if (rehearsal !== table) await rehearsal.close();
    },
  };
}

/** The schema in a text of schema.yaml; null when there is none or it cannot be read. */
export function schemaIn(text: string | null): TableSchema | null {
  if (text === null) return null;
  try {
    return parseSchema(text, 'schema.yaml');
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

function definitionOf(place: Omit<TableDefinition, 'schema' | 'schemaText'>): TableDefinition {
  const schemaText = readIfThere(place.schemaPath);
  const unshaped = {
    table: place.name,
    title: null,
    description: null,
    fields: [],
    dump: null,
    history: 'full',
  } as const;
  return { ...place, schema: schemaIn(schemaText) ?? unshaped, schemaText: schemaText ?? '' };
}

function assertNoTwin(tables: readonly Table[], name: string): void {
  const twin = tables.find((table) => table.name !== name && foldName(table.name) === foldName(name));
  if (twin === undefined) return;
  const reason = `'${twin.name}' differs from it in letter case only; choose another`;
  throw new StoreError('VALIDATION_ERROR', { field: 'table', reason });
}
