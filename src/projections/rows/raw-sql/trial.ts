/** Running a statement where nothing depends on it: what it costs is found out, what it changes is thrown away. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Connection, openReader } from '../../../events/database.js';
import { indexStatements, tableStatement } from '../../../events/migrate.js';
import { checkProgram } from './program.js';
import { type RunnableStatement, runStatement } from './statement.js';
import { refusedSql } from './tokens.js';

/** A row that the transaction has changed before the statement; null when it is gone. */
export interface ChangedRow {
  readonly id: string;
  readonly row: { readonly data: string; readonly createdAt: number; readonly updatedAt: number } | null;
}

/** Plain data, to be sent to another process. */
export type QueryJob =
  | { readonly kind: 'compile'; readonly sql: string }
  | {
      readonly kind: 'run';
      /** The table's database; it need not exist. */
      readonly path: string;
      readonly statement: RunnableStatement;
      readonly changed: readonly ChangedRow[];
    };

/** The most rows that a statement of more than one pass may change: each becomes an event. */
export const mostChanges = 20_000;

/** Makes everything ready and returns what has to be measured, which throws what a run would throw. */
export function prepareQuery(job: QueryJob): () => void {
  if (job.kind === 'compile') return () => void checkProgram(job.sql, {});
  const reader = job.changed.length === 0 && existsSync(job.path) ? openReader(job.path) : null;
  if (reader?.prepare(job.statement.sql).readonly === true) return () => void runStatement(reader, job.statement);
  reader?.close();
  const copy = copyOf(job.path);
  for (const change of job.changed) applyChange(copy, change);
  return () => runOnCopy(copy, job.statement);
}

function runOnCopy(copy: Connection, statement: RunnableStatement): void {
  const changes = copy.prepare<[], number>('SELECT total_changes()').pluck();
  const before = Number(changes.get());
  runStatement(copy, statement);
  if (Number(changes.get()) - before <= mostChanges) return;
  throw refusedSql(`it reads more than one thing and changes more than ${mostChanges} rows; change them in parts`);
}

/** A table of its own in a temporary file, with the rows as they are committed. */
function copyOf(path: string): Connection {
  const copy = new Database('');
  copy.exec(tableStatement('rows', 'rows'));
  const indexes = existsSync(path) ? copyRows(copy, path) : indexStatements('rows');
  for (const statement of indexes) copy.exec(statement);
  copy.pragma('trusted_schema = OFF');
  copy.exec('BEGIN');
  return copy;
}

/** Returns the statements of the indexes, of which a schema may add some. */
function copyRows(copy: Connection, path: string): string[] {
  copy.prepare('ATTACH ? AS source').run(path);
  try {
    const has = copy.prepare("SELECT 1 FROM source.sqlite_schema WHERE type = 'table' AND name = 'rows'").get();
    if (has === undefined) return indexStatements('rows');
    copy.exec(
      `INSERT INTO main.rows (id, data, created_at, updated_at, version)
       SELECT id, data, created_at, updated_at, version FROM source.rows`,
    );
    return copy
      .prepare<[], string>(
        "SELECT sql FROM source.sqlite_schema WHERE type = 'index' AND tbl_name = 'rows' AND sql IS NOT NULL",
      )
      .pluck()
      .all();
  } finally {
    copy.exec('DETACH source');
  }
}

function applyChange(copy: Connection, { id, row }: ChangedRow): void {
  if (row === null) {
    copy.prepare('DELETE FROM rows WHERE id = ?').run(id);
    return;
  }
  const sql = 'INSERT OR REPLACE INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, ?, ?, 1)';
  copy.prepare(sql).run(id, row.data, row.createdAt, row.updatedAt);
}
