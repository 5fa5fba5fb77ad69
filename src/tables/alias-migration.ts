/**
 * Aliases that were not made through the log of their scope: the predecessor's per-table ones (storage.md §18.3), and what
 * another program put into `_global_aliases`. Repeating it changes nothing, also when several processes do it at once.
 */
import type { AliasColumns } from '../events/alias-body.js';
import { currentVersion } from '../events/catalogue.js';
import type { Caller, NewEvent } from '../events/types.js';
import { jsonText } from '../schema/json.js';
import type { GlobalDatabase } from './global-database.js';

export interface TableAlias {
  readonly table: string;
  readonly alias: AliasColumns;
}

/** Copies aliases of tables whose names the store has never had: one that was deleted does not come back. */
export async function migrateAliases(database: GlobalDatabase, found: readonly TableAlias[], session: string) {
  const missing = () => {
    const known = database.names.read();
    return firstOfEach(found).filter(({ alias }) => !known.has(alias.name));
  };
  await appendWhatIsMissing(database, session, () =>
    missing().map(({ table, alias }) => {
      const sources = JSON.stringify({ kind: 'single', value: table });
      return migrated({ ...alias, sources }, table);
    }),
  );
}

/** Records aliases that stand in `_global_aliases` without an event, for example those of the predecessor. */
export async function adoptStrays(database: GlobalDatabase, session: string) {
  await appendWhatIsMissing(database, session, () => {
    const known = database.names.read();
    const strays = database.aliases.list().filter((alias) => known.get(alias.name) !== true);
    return strays.map((alias) => migrated(alias, '_global_aliases'));
  });
}

/** Looks before it takes the write lock, and again under it. */
async function appendWhatIsMissing(database: GlobalDatabase, session: string, events: () => NewEvent[]) {
  if (events().length === 0) return;
  const caller: Caller = { actor: 'mini-app-mcp', origin: { tool: 'alias-migration', session } };
  await database.log.append({
    caller,
    decide: (tx) => {
      for (const event of events()) tx.append(event);
    },
  });
}

function firstOfEach(found: readonly TableAlias[]): TableAlias[] {
  const byName = new Map<string, TableAlias>();
  for (const item of found) if (!byName.has(item.alias.name)) byName.set(item.alias.name, item);
  return [...byName.values()];
}

function migrated(alias: AliasColumns, from: string): NewEvent {
  const type = 'alias.migrated';
  return { type, version: currentVersion(type), rowId: null, body: jsonText({ ...alias, from }) };
}
