import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { migrations } from '../../../src/events/migrations.js';

export interface InsertedRow {
  id: string;
  data: string;
  created?: number;
  updated?: number;
}

/** A table database in a temporary file, removed after the test. */
export function rowsDatabase(rows: readonly InsertedRow[] = []): Database.Database {
  const directory = mkdtempSync(join(tmpdir(), 'rows-'));
  const database = new Database(join(directory, 'table.db'));
  onTestFinished(() => {
    database.close();
    rmSync(directory, { recursive: true });
  });
  database.pragma('synchronous = OFF');
  for (const migration of migrations) for (const statement of migration.statements) database.exec(statement);
  insertRows(database, rows);
  return database;
}

export function insertRows(database: Database.Database, rows: readonly InsertedRow[]): void {
  const insert = database.prepare(
    'INSERT INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, ?, ?, 1)',
  );
  database.transaction(() => {
    for (const row of rows) insert.run(row.id, row.data, row.created ?? 100, row.updated ?? 100);
  })();
}
