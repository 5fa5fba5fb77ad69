/** History from before the log, carried into the shadow tables as it is (see `earlier-history.ts`). */
import type { Connection } from '../../events/database.js';
import { decodeChunk } from '../../projections/row-history/chunk.js';
import type { HistoryTables } from '../../projections/row-history/history-rows.js';
import type { HistoryEntry } from '../../projections/row-history/queries.js';
import { hasEarlierHistory, lastEarlierVersion } from '../replay/earlier-history.js';

interface MixedChunk {
  readonly id: number;
  readonly tableName: string;
  readonly entries: readonly HistoryEntry[];
}

/** What of the earlier history needs work before a transaction can carry it over. */
export type EarlierChunks = readonly MixedChunk[];

const bound = (rowId: string) => `coalesce(${lastEarlierVersion(rowId)}, 9007199254740991)`;

/** Decodes the chunks that hold both earlier entries and entries of the log; of those only the earlier ones count. */
export async function readMixedChunks(connection: Connection): Promise<EarlierChunks> {
  if (!hasEarlierHistory(connection)) return [];
  type Row = { id: number; table_name: string; row_id: string; blob: Buffer; last: number };
  const sql = `SELECT id, table_name, row_id, blob, ${bound('a.row_id')} AS last FROM _row_history_archive a
    WHERE version_start <= ${bound('a.row_id')} AND version_end > ${bound('a.row_id')} ORDER BY id`;
  const chunks: MixedChunk[] = [];
  for (const { id, table_name: tableName, row_id, blob, last } of connection.prepare<[], Row>(sql).all()) {
    const entries = await decodeChunk(row_id, blob);
    chunks.push({ id, tableName, entries: entries.filter((entry) => entry.version <= last) });
  }
  return chunks;
}

/** Copies the earlier history from the live tables to `target`, inside the open transaction. */
export function carryOver(connection: Connection, mixed: EarlierChunks, target: HistoryTables): void {
  if (!hasEarlierHistory(connection)) return;
  const raw = 'table_name, row_id, version, recorded_at, op, data_json, prev_data_json';
  const insert = connection.prepare(`INSERT OR IGNORE INTO ${target.raw} (${raw}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  for (const { tableName, entries } of mixed) {
    for (const { rowId, version, recordedAt, op, data, previous } of entries) {
      insert.run(tableName, rowId, version, recordedAt, op, data, previous ?? null);
    }
  }
  connection.exec(`INSERT OR IGNORE INTO ${target.raw} (${raw}) SELECT ${raw} FROM _row_history h
    WHERE version <= ${bound('h.row_id')} ORDER BY id`);
  const chunk = `table_name, row_id, version_start, version_end, recorded_start, recorded_end, entry_count, format, blob`;
  connection.exec(`INSERT INTO ${target.archive} (${chunk}) SELECT ${chunk} FROM _row_history_archive a
    WHERE version_end <= ${bound('a.row_id')} ORDER BY id`);
}
