/** Databases as the predecessor left them: its statements, its columns, no log. */
import { execFileSync, spawnSync } from 'node:child_process';
import Database from 'better-sqlite3';

/** Its tables, the history of before the archive included when `archive` is false. */
export function predecessorDatabase(path: string, { archive = true, wal = true } = {}): Database.Database {
  const database = new Database(path);
  if (wal) database.pragma('journal_mode = WAL');
  database.exec(`
    CREATE TABLE rows (id TEXT PRIMARY KEY, data TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
    CREATE TABLE _aliases (name TEXT PRIMARY KEY, filter TEXT NOT NULL, default_limit INTEGER, description TEXT);
    CREATE TABLE _row_history (
      id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL, row_id TEXT NOT NULL, version INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL, op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete')), data_json TEXT,
      prev_data_json TEXT);
    CREATE UNIQUE INDEX idx_row_history_version ON _row_history (table_name, row_id, version);
    CREATE INDEX idx_row_history_lookup ON _row_history (table_name, row_id, recorded_at DESC);`);
  if (archive) {
    database.exec(`
      CREATE TABLE _row_history_archive (
        id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL, row_id TEXT NOT NULL,
        version_start INTEGER NOT NULL, version_end INTEGER NOT NULL, recorded_start INTEGER NOT NULL,
        recorded_end INTEGER NOT NULL, entry_count INTEGER NOT NULL, format TEXT NOT NULL DEFAULT 'jsonl-zstd',
        blob BLOB NOT NULL);
      CREATE INDEX idx_row_history_archive_lookup ON _row_history_archive (table_name, row_id, recorded_start DESC);`);
  }
  return database;
}

/** Whether the `zstd` command is there. */
export const hasZstd = spawnSync('zstd', ['--version']).status === 0;

/** A frame from a pipe: like the predecessor's streaming encoder it does not say how long its content is. */
export function zstdFrame(text: string): Buffer {
  return execFileSync('zstd', ['-q', '-3', '--no-check', '-c', '-'], { input: text, maxBuffer: 1e9 });
}

export function zstdContent(blob: Buffer): string {
  return execFileSync('zstd', ['-q', '-d', '-c', '-'], { input: blob, maxBuffer: 1e9 }).toString('utf8');
}

/** One line of an archive chunk, its final line feed included. */
export function historyLine(version: number, recordedAt: number, data: object, op = 'update'): string {
  return `${JSON.stringify({ version, recorded_at: recordedAt, op, data_json: JSON.stringify(data) })}\n`;
}
