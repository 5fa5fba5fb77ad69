/** What can be asked of the row history, both tiers as one (storage.md §10.2). */
import type { JsonText } from '../../schema/json.js';

export interface HistoryEntry {
  /** 0 for an entry that lies in the archive. */
  readonly id: number;
  readonly rowId: string;
  readonly version: number;
  /** Unix seconds. */
  readonly recordedAt: number;
  readonly op: 'create' | 'update' | 'delete';
  /** The row after the change; for a delete the row that was deleted. Null only in entries of very old databases. */
  readonly data: JsonText | null;
  /** The row before the change: only in entries of very old databases. */
  readonly previous?: JsonText;
}

export interface HistoryQueries {
  /** The newest entry at or before a time (Unix seconds), or null. @throws StoreError STORAGE_ERROR on a damaged chunk. */
  at(rowId: string, unixSeconds: number): Promise<HistoryEntry | null>;
  /** The entry of one version, or null. */
  version(rowId: string, version: number): Promise<HistoryEntry | null>;
  /** Every entry of a row, oldest first. */
  list(rowId: string): Promise<HistoryEntry[]>;
  /** Ids in the history that start with the prefix, letter case ignored, ascending: deleted rows included. */
  idsWithPrefix(prefix: string): string[];
}
