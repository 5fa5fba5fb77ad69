/** Aliases that a table's log does not tell: the predecessor's, which nobody has changed since. */
import type { Connection } from '../../events/database.js';
import { tableAliases } from './queries.js';

/** Copies them from a table's file into another table with the columns of `_aliases`. */
export function copyAliasesNotInLog(source: Connection, target: Connection, into: string): void {
  const columns = Object.values(tableAliases.columns).filter((column) => column !== null);
  const found = source.prepare<[], unknown[]>(
    `SELECT ${columns.join(', ')} FROM main._aliases WHERE name NOT IN (${named})`,
  );
  const places = columns.map(() => '?').join(', ');
  const insert = target.prepare(`INSERT INTO ${into} (${columns.join(', ')}) VALUES (${places})`);
  for (const alias of found.raw().all()) insert.run(...alias);
}

/** A body that somebody tampered with may be no JSON at all. */
const named = `SELECT CASE WHEN json_valid(body) THEN coalesce(body ->> '$.name', '') ELSE '' END FROM main._events
  WHERE row_id IS NULL AND type IN ('alias.created', 'alias.migrated', 'alias.deleted')`;
