/** Which aliases a log has ever heard of. It is how a deleted alias stays deleted (rulings §2 "aliases"). */
import type { Connection } from '../../events/database.js';

export interface KnownNames {
  /** Whether the newest event of each name left an alias. */
  read(): ReadonlyMap<string, boolean>;
}

/** Names from the events of an open database. */
export function knownNames(connection: Connection): KnownNames {
  // With max() SQLite takes the other columns from the row that has it.
  const statement = connection.prepare<[], { name: string; type: string }>(
    `SELECT json_extract(body, '$.name') AS name, type, max(seq) FROM _events
     WHERE row_id IS NULL AND type IN ('alias.created', 'alias.migrated', 'alias.deleted') GROUP BY 1`,
  );
  return { read: () => new Map(statement.all().map(({ name, type }) => [name, type !== 'alias.deleted'])) };
}
