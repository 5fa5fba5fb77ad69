/**
 * History that is older than what the log tells: of a database that was adopted (rulings 3.9), or of events that were
 * compacted away. No event vouches for such an entry, so it is accepted as it is, and a rebuild carries it over.
 */
import type { Connection } from '../../events/database.js';

/**
 * SQL for the last version of a row that the log does not tell: the one an import found, else the one before the row's
 * first event; NULL for a row without events. `rowId` is an expression of the surrounding statement.
 */
export function lastEarlierVersion(rowId: string): string {
  return `(SELECT row_version - (type <> 'row.imported') FROM _events WHERE row_id = ${rowId} ORDER BY row_version LIMIT 1)`;
}

/** Whether the log begins somewhere else than with the table. */
export function hasEarlierHistory(connection: Connection): boolean {
  const sql = `SELECT EXISTS (SELECT 1 FROM _events WHERE row_id IS NULL AND type IN ('table.adopted', 'log.compacted'))`;
  return connection.prepare<[], number>(sql).pluck().get() === 1;
}

export class EarlierHistory {
  readonly #any: boolean;
  readonly #bound;

  constructor(connection: Connection) {
    this.#any = hasEarlierHistory(connection);
    this.#bound = connection.prepare<[string], number | null>(`SELECT ${lastEarlierVersion('?')}`).pluck();
  }

  /** Whether an entry that no event claims can be from before the log. */
  has(rowId: string, version: number): boolean {
    return this.#any && version <= (this.#bound.get(rowId) ?? Number.POSITIVE_INFINITY);
  }
}
