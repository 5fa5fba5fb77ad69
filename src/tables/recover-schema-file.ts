/** After a crash: whether a change of schema.yaml stands, as the table's log has it (see `schema-file.ts`). */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { patiently } from '../events/database.js';
import { digestOf, isJournalName, type Journal, readJournal, restoreSchemaFile } from './schema-file.js';

/**
 * Settles the journals in a table's directory. A change that is under way in another process is left alone: its lock is
 * waited for, and then its journal is gone.
 */
export function recoverSchemaFile(directory: string, databasePath: string): void {
  const journals = readdirSync(directory).filter(isJournalName);
  if (journals.length === 0) return;
  const settle = (isRecorded: (journal: Journal) => boolean) => {
    for (const name of journals) settleJournal(join(directory, name), isRecorded);
  };
  if (existsSync(databasePath)) underLock(databasePath, settle);
  else settle(() => false);
}

function settleJournal(path: string, isRecorded: (journal: Journal) => boolean): void {
  if (!existsSync(path)) return;
  const journal = readJournal(path);
  if (journal !== null && !isRecorded(journal)) restoreSchemaFile(journal);
  rmSync(path, { force: true });
}

function underLock(databasePath: string, settle: (isRecorded: (journal: Journal) => boolean) => void): void {
  const connection = new Database(databasePath, { timeout: 25 });
  try {
    patiently(() => connection.exec('BEGIN IMMEDIATE'));
    settle((journal) => bodyAt(connection, journal.seq) === journal.bodyDigest);
    connection.exec('COMMIT');
  } finally {
    connection.close();
  }
}

function bodyAt(connection: Database.Database, seq: number): string | null {
  const hasLog = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_events'").get() !== undefined;
  if (!hasLog) return null;
  const sql = `SELECT body FROM _events WHERE seq = ? AND type = 'schema.changed'`;
  const body = connection.prepare<[number], string>(sql).pluck().get(seq);
  return body === undefined ? null : digestOf(body);
}
