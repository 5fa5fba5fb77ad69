/** `doctor`: looks at everything around a table that could be wrong and says what to do about it. Changes nothing. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isStoreError } from '../errors.js';
import { type Connection, openReader } from '../events/database.js';
import { storageError } from '../events/storage-error.js';
import type { FailedTable } from '../tables/table.js';
import { type BytesByKind, bytesByKind } from './doctor/bytes.js';
import { examineDatabase, hasLog } from './doctor/examine-database.js';
import { examineFiles } from './doctor/examine-files.js';
import type { Finding } from './doctor/finding.js';
import type { OperatedTable } from './operated-table.js';

export type { Finding } from './doctor/finding.js';

export interface TableHealth {
  readonly table: string;
  /** `new`: it has no database, or one without a log; the first use makes it or takes it over. */
  readonly state: 'ready' | 'new' | 'unreadable';
  readonly journal_mode: string | null;
  readonly events: number;
  /** Null unless it is ready. */
  readonly bytes: BytesByKind | null;
}

export interface Diagnosis {
  /** Nothing worse than a remark was found. */
  readonly ok: boolean;
  readonly sqlite_version: string;
  readonly tables: readonly TableHealth[];
  readonly findings: readonly Finding[];
}

export interface DoctorInput {
  readonly tables: readonly OperatedTable[];
  /** Tables that could not be mounted. */
  readonly failed: readonly FailedTable[];
  /** Unix milliseconds. */
  readonly now: number;
}

/** Older ones can lose commits that were acknowledged when several processes share a WAL file. */
const oldestSqlite = '3.51.3';

export function doctor({ tables, failed, now }: DoctorInput): Diagnosis {
  const version = sqliteVersion();
  const examined = tables.map((table) => examineTable(table, now));
  const findings = [
    ...examineVersion(version),
    ...failed.map(notMounted),
    ...examined.flatMap((table) => table.findings),
  ];
  return {
    ok: findings.every((finding) => finding.severity === 'info'),
    sqlite_version: version,
    tables: examined.map((table) => table.health),
    findings,
  };
}

function examineTable(table: OperatedTable, now: number): Examined {
  const { path } = table.database;
  const findings = examineFiles(table);
  if (!existsSync(path)) return notReady(table, 'new', [...findings, unused(table)]);
  try {
    const connection = openReader(path);
    try {
      if (!hasLog(connection)) {
        const found = isEmpty(connection) ? [unused(table)] : examineDatabase(table, connection, now);
        return notReady(table, 'new', [...findings, ...found]);
      }
      return examineOpened(table, connection, [...findings, ...examineDatabase(table, connection, now)]);
    } finally {
      connection.close();
    }
  } catch (error) {
    const known = storageError(error);
    const message = isStoreError(known) ? known.message : 'the database cannot be examined';
    const next = 'restore the table from a snapshot under _snapshots';
    return notReady(table, 'unreadable', [...findings, { table: table.name, severity: 'error', message, next }]);
  }
}

interface Examined {
  readonly health: TableHealth;
  readonly findings: Finding[];
}

function examineOpened({ name, database }: OperatedTable, connection: Connection, findings: Finding[]): Examined {
  const events = connection.prepare<[], number>('SELECT count(*) FROM _events').pluck().get() ?? 0;
  const journal = String(connection.pragma('journal_mode', { simple: true }));
  const bytes = bytesByKind(connection, database.path);
  return { health: { table: name, state: 'ready', journal_mode: journal, events, bytes }, findings };
}

function notReady({ name }: OperatedTable, state: 'new' | 'unreadable', findings: Finding[]): Examined {
  return { health: { table: name, state, journal_mode: null, events: 0, bytes: null }, findings };
}

function isEmpty(connection: Connection): boolean {
  return connection.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

function unused({ name }: OperatedTable): Finding {
  const message = 'the table was not used yet';
  return { table: name, severity: 'info', message, next: 'nothing: its first use makes the log' };
}

function examineVersion(version: string): Finding[] {
  if (compareVersions(version, oldestSqlite) >= 0) return [];
  const message = `SQLite ${version} is older than ${oldestSqlite} and can lose acknowledged commits of other processes`;
  return [{ table: null, severity: 'error', message, next: 'install better-sqlite3 12.8 or newer' }];
}

function notMounted({ table, code, message }: FailedTable): Finding {
  const next = code === 'SCHEMA_ERROR' ? `correct ${table}/schema.yaml` : 'see the message';
  return { table, severity: 'error', message: `the table is not mounted: ${message}`, next };
}

function sqliteVersion(): string {
  const connection = new Database(':memory:');
  try {
    return connection.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '0';
  } finally {
    connection.close();
  }
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
