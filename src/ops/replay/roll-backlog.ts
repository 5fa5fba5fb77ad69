/**
 * The roll of raw history into the archive, done after the fact: compression is asynchronous, so it happens between
 * transactions. The chunks are those that a roll after each change makes.
 */
import { compressEntries } from '../../projections/row-history/chunk.js';
import type { HistoryRows } from '../../projections/row-history/history-rows.js';
import { type ArchiveLimits, rollSize } from '../../projections/row-history/project.js';

/** Runs a write in a transaction of its own. */
export type Transact = (write: () => void) => Promise<void>;

/** Archives what is due of a row. Nobody else may write these tables. */
export async function rollBacklog(
  rows: HistoryRows,
  rowId: string,
  limits: ArchiveLimits,
  transact: Transact,
): Promise<void> {
  for (let size = due(rows, rowId, limits); size > 0; size = due(rows, rowId, limits)) {
    const entries = rows.oldestRaw(rowId, size);
    const blob = await compressEntries(entries);
    await transact(() => {
      rows.insertChunk(rowId, entries, blob);
      rows.removeRawUpTo(rowId, entries.at(-1)?.version ?? 0);
    });
  }
}

function due(rows: HistoryRows, rowId: string, limits: ArchiveLimits): number {
  return rollSize(rows.countRaw(rowId), limits);
}
