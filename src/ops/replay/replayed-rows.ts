/** The fold of a log into tables of its own, by the projection that writes `rows` live. */
import { upcast } from '../../events/catalogue.js';
import type { Connection } from '../../events/database.js';
import { evolve, type RowChange } from '../../events/evolve.js';
import type { RecordedEvent, RowState } from '../../events/types.js';
import { RowsProjection } from '../../projections/rows/project.js';
import type { JsonText } from '../../schema/json.js';

interface Row {
  id: string;
  data: JsonText;
  created_at: number;
  updated_at: number;
  version: number;
}

export class ReplayedRows {
  readonly #projection: RowsProjection;
  readonly #get;

  /** @param target an empty table with the columns of `rows`, or one that an earlier part of the log was folded into. */
  constructor(connection: Connection, target: string) {
    this.#projection = new RowsProjection(connection, target);
    this.#get = connection.prepare<[string], Row>(
      `SELECT id, data, created_at, updated_at, version FROM ${target} WHERE id = ?`,
    );
  }

  /**
   * Applies one event; null for one of the whole table.
   * @throws StoreError UNKNOWN_EVENT, CORRUPT_LOG when the event does not fit what came before it.
   */
  apply(stored: RecordedEvent): RowChange | null {
    const event = upcast(stored);
    if (event.rowId === null) return null;
    // What begins a row depends on nothing before it.
    const begins = event.type === 'row.created' || event.type === 'row.imported';
    const change = evolve(begins ? null : this.state(event.rowId), event);
    this.#projection.apply(change);
    return change;
  }

  state(id: string): RowState | null {
    const row = this.#get.get(id);
    if (row === undefined) return null;
    const { created_at: createdAt, updated_at: updatedAt } = row;
    return { id: row.id, data: row.data, createdAt, updatedAt, version: row.version };
  }
}

/** Creates an empty table with the columns of `rows`, without its secondary index and triggers. */
export function createRowsTable(connection: Connection, target: string): void {
  connection.exec(`CREATE TABLE ${target} (id TEXT PRIMARY KEY NOT NULL, data TEXT NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 0)`);
}
