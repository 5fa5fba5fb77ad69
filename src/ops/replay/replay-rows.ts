/** The rows that a snapshot's log says there are, in a temporary table beside those that there are. */
import { replay } from '../../projections/replay.js';
import type { WorkOptions } from '../operated-table.js';
import { createRowsTable, ReplayedRows } from './replayed-rows.js';
import type { Snapshot } from './snapshot.js';

export const replayedTable = 'temp.replayed_rows';

/** Folds the log up to and with `to` (default: the head). @throws StoreError UNKNOWN_EVENT, CORRUPT_LOG. */
export async function replayRows(
  { connection, log, head }: Snapshot,
  options: WorkOptions & { readonly to?: number },
): Promise<ReplayedRows> {
  createRowsTable(connection, replayedTable);
  const rows = new ReplayedRows(connection, replayedTable);
  const to = options.to ?? head.seq;
  await replay({
    log,
    from: 0,
    to,
    apply: (batch) => {
      for (const event of batch) rows.apply(event);
    },
    onProgress: ({ position }) => options.onProgress?.({ done: position, total: to }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return rows;
}
