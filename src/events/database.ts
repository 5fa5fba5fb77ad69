/** Opening a database file: journal mode, durability, migrations, and what to do where none of that is possible. */
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { type MigrationSet, migrate, tableSet } from './migrate.js';
import { storageError } from './storage-error.js';

export type Connection = Database.Database;

export interface OpenedDatabase {
  readonly connection: Connection;
  /** `wal`, or `delete` where the file system cannot do WAL. */
  readonly journalMode: string;
  /** Why writing is refused; null when it is not. */
  readonly readOnlyBecause: string | null;
}

/** How long SQLite itself may block this thread on another process's lock, in milliseconds. Longer waits are asynchronous. */
const blockingWait = 25;

/** Told the text of each statement that SQLite runs, values filled in: to count what an operation costs. */
export type StatementObserver = (sql: string) => void;

/**
 * Opens a database for reading and writing, creating and migrating it as needed. A file that may not be written is opened
 * for reading, without the observer.
 * @throws StoreError STORAGE_ERROR when it is no database or cannot be read.
 */
export function openDatabase(
  path: string,
  set: MigrationSet = tableSet,
  onStatement?: StatementObserver,
): OpenedDatabase {
  try {
    return openForWriting(path, set, onStatement);
  } catch (error) {
    if (!isNotWritable(error) || !existsSync(path)) throw storageError(error);
    return openForReading(path);
  }
}

/** A second connection to an existing file that can only read. */
export function openReader(path: string): Connection {
  try {
    const connection = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
    secure(connection);
    return connection;
  } catch (error) {
    throw storageError(error);
  }
}

/** Runs a step that SQLite may refuse for a moment while another process does the same, for example at a first opening. */
export function patiently<T>(step: () => T, milliseconds = 10_000): T {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);
    }
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

function openForWriting(path: string, set: MigrationSet, onStatement?: StatementObserver): OpenedDatabase {
  mkdirSync(dirname(path), { recursive: true });
  assertWritable(path);
  const connection = new Database(path, { timeout: blockingWait, ...observed(onStatement) });
  try {
    secure(connection);
    const journalMode = patiently(() => chooseJournal(connection, path));
    connection.pragma('synchronous = FULL');
    patiently(() => migrate(connection, set));
    return { connection, journalMode, readOnlyBecause: null };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function observed(onStatement?: StatementObserver): Database.Options {
  return onStatement === undefined ? {} : { verbose: (sql) => onStatement(String(sql)) };
}

/** SQLite would open such a file all the same, and fail at the first write. */
function assertWritable(path: string): void {
  accessSync(dirname(path), constants.W_OK);
  if (existsSync(path)) accessSync(path, constants.W_OK);
}

function openForReading(path: string): OpenedDatabase {
  const because = 'the database file or its directory may not be written';
  let connection: Connection | null = null;
  try {
    connection = isFrozen(path) ? openCopy(path) : openReader(path);
    return { connection, journalMode: journalOf(connection), readOnlyBecause: because };
  } catch (error) {
    connection?.close();
    throw storageError(error);
  }
}

/** On a read-only file system nobody can change the file; nor can SQLite make the files that reading in WAL mode takes. */
function isFrozen(path: string): boolean {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (wal !== undefined && wal.size > 0) return false;
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}

/** The file in memory, with its header saying that it uses no WAL. */
function openCopy(path: string): Connection {
  const bytes = readFileSync(path);
  bytes.fill(1, 18, 20);
  const connection = new Database(bytes, { readonly: true });
  secure(connection);
  return connection;
}

function secure(connection: Connection): void {
  connection.pragma('trusted_schema = OFF');
}

function chooseJournal(connection: Connection, path: string): string {
  if (!canShareMemory(path)) {
    connection.pragma('mmap_size = 0');
    connection.pragma('journal_mode = DELETE');
  } else if (journalOf(connection) !== 'wal') connection.pragma('journal_mode = WAL');
  return journalOf(connection);
}

function journalOf(connection: Connection): string {
  return String(connection.pragma('journal_mode', { simple: true }));
}

/** File systems on which WAL is known to lose or damage data: 9p, NFS, SMB, FUSE and virtiofs, drvfs, shared folders. */
const withoutWal = new Set([0x01021997, 0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x53464846, 0x786f4256]);

function canShareMemory(path: string): boolean {
  try {
    return !withoutWal.has(statfsSync(dirname(path)).type >>> 0);
  } catch {
    return true;
  }
}

function isNotWritable(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(error.code);
  return error instanceof Error && 'code' in error && /^(EACCES|EROFS|EPERM)$/.test(String(error.code));
}
