/** `doctor`: looks at everything around a table that could be wrong and says what to do about it. Changes nothing. */
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
  readonly journal_mode: string | null;
  readonly events: number;
  /** Null when the file cannot be read. */
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

function examineTable(table: OperatedTable, now: number): { health: TableHealth; findings: Finding[] } {
  const { path } = table.database;
  const findings = examineFiles(table);
  const health = { table: table.name, journal_mode: null, events: 0, bytes: null };
  try {
    const connection = openReader(path);
    try {
      findings.push(...examineDatabase(table, connection, now));
      const events = hasLog(connection) ? countEvents(connection) : 0;
      const journal = String(connection.pragma('journal_mode', { simple: true }));
      return { health: { ...health, journal_mode: journal, events, bytes: bytesByKind(connection, path) }, findings };
    } finally {
      connection.close();
    }
  } catch (error) {
    const known = storageError(error);
    const message = isStoreError(known) ? known.message : 'the database cannot be examined';
    const next = 'restore the table from a snapshot under _snapshots';
    return { health, findings: [...findings, { table: table.name, severity: 'error', message, next }] };
  }
}

function countEvents(connection: Connection): number {
  return connection.prepare<[], number>('SELECT count(*) FROM _events').pluck().get() ?? 0;
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
