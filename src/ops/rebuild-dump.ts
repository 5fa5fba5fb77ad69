/** `rebuild --projection dump`: writes the markdown of every live row again. The follower's checkpoint stays where it is. */
import { setImmediate } from 'node:timers/promises';
import type { RowState } from '../events/types.js';
import type { JsonText } from '../schema/json.js';
import type { OperatedTable, WorkOptions } from './operated-table.js';
import { withSnapshot } from './replay/snapshot.js';

export interface DumpRebuilt {
  readonly table: string;
  readonly files: number;
}

interface Row {
  rowid: number;
  id: string;
  data: JsonText;
  created_at: number;
  updated_at: number;
  version: number;
}

/**
 * @param write writes the file of one row, as the follower does; null when the table has no `dump:` section.
 * @throws StoreError IO_ERROR and whatever `write` throws.
 */
export async function rebuildDump(
  table: OperatedTable,
  write: ((row: RowState) => Promise<void>) | null,
  options: WorkOptions = {},
): Promise<DumpRebuilt> {
  if (write === null) return { table: table.name, files: 0 };
  return withSnapshot(table.database.path, async ({ connection }) => {
    const total = connection.prepare<[], number>('SELECT count(*) FROM rows').pluck().get() ?? 0;
    const page = connection.prepare<[number], Row>(
      'SELECT rowid, * FROM rows WHERE rowid > ? ORDER BY rowid LIMIT 100',
    );
    let files = 0;
    for (let rows = page.all(Number.MIN_SAFE_INTEGER); rows.length > 0; rows = page.all(rows.at(-1)?.rowid ?? 0)) {
      for (const { id, data, created_at: createdAt, updated_at: updatedAt, version } of rows) {
        options.signal?.throwIfAborted();
        await write({ id, data, createdAt, updatedAt, version });
        files++;
      }
      options.onProgress?.({ done: files, total });
      await setImmediate();
    }
    return { table: table.name, files };
  });
}
