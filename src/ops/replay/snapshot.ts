/** One consistent view of a table's file, on a connection that cannot write it, with temporary tables beside it. */
import { type Connection, openReader } from '../../events/database.js';
import { EventRows, type Head } from '../../events/event-rows.js';
import { storageError } from '../../events/storage-error.js';
import type { ReadableLog } from '../../projections/drain.js';

export interface Snapshot {
  readonly connection: Connection;
  readonly events: EventRows;
  /** The newest event of the snapshot. */
  readonly head: Head;
  readonly log: ReadableLog;
}

/**
 * Runs `use` on the file as it is now, whatever others write meanwhile. Temporary tables live in a file that SQLite
 * removes, so that a log of any length fits.
 * @throws StoreError STORAGE_ERROR when the file is damaged or was never opened for writing.
 */
export async function withSnapshot<T>(path: string, use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const connection = openReader(path);
  try {
    connection.exec(tuning);
    connection.exec('BEGIN');
    const events = new EventRows(connection);
    return await use({ connection, events, head: events.head(), log: readableLog(events) });
  } catch (error) {
    throw storageError(error);
  } finally {
    connection.close();
  }
}

/** Ids are random, so both sides of a comparison are read all over; caches are in KiB and grow only as far as needed. */
const tuning = `PRAGMA temp_store = FILE; PRAGMA temp.journal_mode = OFF; PRAGMA temp.cache_size = -131072;
  PRAGMA main.cache_size = -65536`;

/** A log as the replay reads it, over statements at hand. */
export function readableLog(events: EventRows): ReadableLog {
  return {
    readAfter: async (position, limit) => events.after(position, limit),
    head: async () => events.head().seq,
  };
}
