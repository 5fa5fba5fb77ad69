/**
 * Brings a database file to today's tables. Unlike drizzle's own migrator this is safe when several processes open a fresh
 * file at once (one `BEGIN IMMEDIATE` around everything) and when the predecessor's tables are already there (every
 * statement is conditional, missing columns are added).
 */
import type { Database as Connection } from 'better-sqlite3';
import { globalMigrations, type Migration, migrations } from './migrations.js';

/** What one kind of database file is brought to. */
export interface MigrationSet {
  readonly migrations: readonly Migration[];
  /** Columns that older files lack. */
  readonly laterColumns: readonly LaterColumn[];
}

type LaterColumn = readonly [table: string, column: string, declaration: string];

/** A table's database: columns that the predecessor's lack (storage.md §3.2, §23.5) and the ones this project adds. */
export const tableSet: MigrationSet = {
  migrations,
  laterColumns: [
    ['rows', 'version', 'INTEGER NOT NULL DEFAULT 0'],
    ['_aliases', 'params_schema', 'TEXT'],
    ['_row_history', 'prev_data_json', 'TEXT'],
  ],
};

/** A scope directory's `_global.db` (storage.md §3.5). */
export const globalSet: MigrationSet = {
  migrations: globalMigrations,
  laterColumns: [
    ['_global_aliases', 'fields', 'TEXT'],
    ['_global_aliases', 'order_by', 'TEXT'],
  ],
};

/** Applies what is missing. Costs one read when nothing is. */
export function migrate(connection: Connection, set: MigrationSet = tableSet): void {
  if (applied(connection).size === set.migrations.length) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    connection.exec(
      'CREATE TABLE IF NOT EXISTS _migrations (tag TEXT PRIMARY KEY NOT NULL, applied_at INTEGER NOT NULL)',
    );
    const done = applied(connection);
    addMissingColumns(connection, set.laterColumns);
    for (const migration of set.migrations) if (!done.has(migration.tag)) apply(connection, migration);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** The statements of today's tables that make triggers on `rows`; a rebuild that swaps the table makes them anew. */
export function rowTriggers(): string[] {
  return migrations.flatMap((migration) => migration.statements).filter((text) => /TRIGGER `_rows_/.test(text));
}

/** The statement that makes one of today's tables under another name, without its secondary indexes and triggers. */
export function tableStatement(table: string, name: string): string {
  const create = `CREATE TABLE \`${table}\``;
  const statement = migrations.flatMap((migration) => migration.statements).find((text) => text.startsWith(create));
  if (statement === undefined) throw new Error(`no table ${table}`);
  return statement.replace(create, `CREATE TABLE \`${name}\``);
}

/** The statements that make the indexes of one of today's tables. */
export function indexStatements(table: string): string[] {
  const statements = migrations.flatMap((migration) => migration.statements);
  return statements.filter((text) => /^CREATE (UNIQUE )?INDEX /.test(text) && text.includes(` ON \`${table}\` (`));
}

/** The statements that keep the log append-only; compaction drops and makes them anew. */
export function eventTriggers(): string[] {
  return migrations.flatMap((migration) => migration.statements).filter((text) => /TRIGGER `_events_/.test(text));
}

/** A statement of a migration in the form that changes nothing when its object exists. */
export function conditional(statement: string): string {
  return statement.replace(
    /^(\s*--[^\n]*\n)*\s*CREATE (TABLE|TRIGGER|UNIQUE INDEX|INDEX) /,
    'CREATE $2 IF NOT EXISTS ',
  );
}

function applied(connection: Connection): Set<string> {
  if (!hasTable(connection, '_migrations')) return new Set();
  return new Set(connection.prepare<[], string>('SELECT tag FROM _migrations').pluck().all());
}

function hasTable(connection: Connection, name: string): boolean {
  return connection.prepare('SELECT 1 FROM sqlite_schema WHERE type = ? AND name = ?').get('table', name) !== undefined;
}

function addMissingColumns(connection: Connection, laterColumns: readonly LaterColumn[]): void {
  for (const [table, column, declaration] of laterColumns) {
    const columns = connection.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    if (columns.length > 0 && !columns.includes(column)) {
      connection.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${declaration}`);
    }
  }
}

function apply(connection: Connection, migration: Migration): void {
  for (const statement of migration.statements) connection.exec(conditional(statement));
  connection.prepare('INSERT INTO _migrations (tag, applied_at) VALUES (?, ?)').run(migration.tag, Date.now());
}
