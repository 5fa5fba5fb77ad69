/**
 * `compact`: makes a table's file as small as it can be with everything it promises. The log of a table with `history: off`
 * keeps the last event of each row (rulings 3.8), and with the events that go, their idempotency keys go; the archive of
 * large rows is tidied; free pages go back to the file system.
 */

import { giveBackFreePages } from '../events/free-pages.js';
import type { Caller } from '../events/types.js';
import { retryBusy } from '../projections/checkpoints/retry-busy.js';
import type { TableDatabase } from '../tables/table-database.js';
import { compactLog } from './archive/compact-log.js';
import { type Tidied, tidyArchive } from './archive/tidy-archive.js';
import { tableFileBytes } from './doctor/bytes.js';
import { type OperatedTable, type WorkOptions, withDatabase } from './operated-table.js';

export interface CompactOptions extends WorkOptions {
  readonly caller: Caller;
  /** Writes the whole file anew, also when nothing in it is free: that puts its pages in order. */
  readonly vacuum?: boolean | undefined;
}

export interface Compacted {
  readonly table: string;
  /** Events removed from the log of a table without history. */
  readonly events_removed: number;
  readonly archive: Tidied;
  /** All files of the table, in bytes. */
  readonly bytes_before: number;
  readonly bytes_after: number;
}

/** @throws StoreError BUSY, STORAGE_ERROR. */
export async function compactTable(table: OperatedTable, options: CompactOptions): Promise<Compacted> {
  const { path, historyName } = table.database;
  const before = tableFileBytes(path);
  return withDatabase(table, async (database) => {
    const removed = table.schema.history === 'off' ? await compactLog(database, options.caller) : 0;
    const archive = await tidyArchive(database.connection, historyName, { signal: options.signal });
    await shrink(database, options.vacuum ?? false);
    return {
      table: table.name,
      events_removed: removed,
      archive,
      bytes_before: before,
      bytes_after: tableFileBytes(path),
    };
  });
}

async function shrink({ connection, journalMode }: TableDatabase, vacuum: boolean): Promise<void> {
  await retryBusy(() => (vacuum ? connection.exec('VACUUM') : giveBackFreePages(connection)), 30_000);
  if (journalMode === 'wal') await retryBusy(() => connection.pragma('wal_checkpoint(TRUNCATE)'));
}
