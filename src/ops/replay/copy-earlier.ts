/** What a table's file holds that its log does not tell, for a copy that is made from the log. */
import type { Connection } from '../../events/database.js';
import { copyAliasesNotInLog } from '../../projections/aliases/not-in-log.js';
import { type EarlierChunks, readMixedChunks } from '../rebuild/carry-over.js';
import { hasEarlierHistory, lastEarlierVersion } from './earlier-history.js';

const raw = ['table_name', 'row_id', 'version', 'recorded_at', 'op', 'data_json', 'prev_data_json'];
const chunk = [
  'table_name',
  'row_id',
  'version_start',
  'version_end',
  'recorded_start',
  'recorded_end',
  'entry_count',
  'format',
  'blob',
];

/** Copies the history from before the log and the aliases that the log does not tell. */
export async function copyEarlier(source: Connection, target: Connection): Promise<void> {
  const mixed = await readMixedChunks(source);
  target.transaction(() => copyAll(source, target, mixed)).immediate();
}

function copyAll(source: Connection, target: Connection, mixed: EarlierChunks): void {
  copyAliasesNotInLog(source, target, '_aliases');
  if (!hasEarlierHistory(source)) return;
  const bound = (table: string) => `coalesce(${lastEarlierVersion(`${table}.row_id`)}, 9007199254740991)`;
  const insert = target.prepare(insertSql('_row_history', raw));
  for (const { tableName, entries } of mixed) {
    for (const { rowId, version, recordedAt, op, data, previous } of entries) {
      insert.run(tableName, rowId, version, recordedAt, op, data, previous ?? null);
    }
  }
  copy(source, target, '_row_history', raw, `version <= ${bound('_row_history')}`);
  copy(source, target, '_row_history_archive', chunk, `version_end <= ${bound('_row_history_archive')}`);
}

function copy(source: Connection, target: Connection, table: string, columns: readonly string[], where: string): void {
  const insert = target.prepare(insertSql(table, columns));
  const rows = source.prepare<[], unknown[]>(
    `SELECT ${columns.join(', ')} FROM ${table} WHERE ${where} ORDER BY rowid`,
  );
  for (const row of rows.raw().iterate()) insert.run(...row);
}

function insertSql(table: string, columns: readonly string[]): string {
  return `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}
