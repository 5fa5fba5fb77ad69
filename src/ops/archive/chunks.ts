/** Archive chunks made anew: without purged entries, or several as one. Compression comes before the transaction. */
import type { Connection } from '../../events/database.js';
import { compressEntries } from '../../projections/row-history/chunk.js';
import type { HistoryEntry } from '../../projections/row-history/queries.js';

export interface EncodedChunk {
  readonly first: Pick<HistoryEntry, 'version' | 'recordedAt'>;
  readonly last: Pick<HistoryEntry, 'version' | 'recordedAt'>;
  readonly count: number;
  readonly blob: Buffer;
}

export interface ReplacedChunk {
  readonly ids: readonly number[];
  readonly rowId: string;
  readonly tableName: string;
  /** Null: nothing is left of them. */
  readonly chunk: EncodedChunk | null;
}

/** @param entries ascending, at least one. */
export async function encodeChunk(entries: readonly HistoryEntry[]): Promise<EncodedChunk> {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a chunk holds at least one entry');
  const described = ({ version, recordedAt }: HistoryEntry) => ({ version, recordedAt });
  const blob = await compressEntries(entries);
  return { first: described(first), last: described(last), count: entries.length, blob };
}

/** Puts one chunk in the place of others, inside the open transaction. */
export function replaceChunks(connection: Connection, { ids, rowId, tableName, chunk }: ReplacedChunk): void {
  const remove = connection.prepare('DELETE FROM _row_history_archive WHERE id = ?');
  for (const id of ids) remove.run(id);
  if (chunk === null) return;
  const { first, last, count, blob } = chunk;
  connection
    .prepare(
      `INSERT INTO _row_history_archive (table_name, row_id, version_start, version_end, recorded_start, recorded_end,
         entry_count, format, blob) VALUES (?, ?, ?, ?, ?, ?, ?, 'jsonl-zstd', ?)`,
    )
    .run(tableName, rowId, first.version, last.version, first.recordedAt, last.recordedAt, count, blob);
}
