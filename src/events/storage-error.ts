/** What SQLite says, as an error of the closed set: never its SQL, never a path. */
import Database from 'better-sqlite3';
import { isStoreError, StoreError } from '../errors.js';

const meanings: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_NOTADB/, 'the file is not a SQLite database'],
  [/^SQLITE_CORRUPT/, 'the database file is damaged'],
  [/^SQLITE_FULL/, 'the disk is full'],
  [/^SQLITE_READONLY/, 'the database may not be written'],
  [/^SQLITE_CANTOPEN/, 'the database file cannot be opened'],
  [/^SQLITE_IOERR/, 'reading or writing the disk failed'],
  [/^SQLITE_TOOBIG/, 'the value is larger than SQLite can keep'],
];

/** The error itself when it is one of ours or nothing that SQLite said; else STORAGE_ERROR or BUSY with the cause. */
export function storageError(error: unknown): unknown {
  if (isStoreError(error)) return error;
  if (isSystemError(error))
    return new StoreError('STORAGE_ERROR', { detail: systemMeaning(error.code) }, { cause: error });
  if (!(error instanceof Database.SqliteError)) return error;
  if (/^SQLITE_(BUSY|LOCKED)/.test(error.code))
    return new StoreError('BUSY', { retry_after_ms: 200 }, { cause: error });
  const meaning = meanings.find(([code]) => code.test(error.code))?.[1];
  return meaning === undefined ? error : new StoreError('STORAGE_ERROR', { detail: meaning }, { cause: error });
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code)) && 'syscall' in error;
}

function systemMeaning(code: string): string {
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return 'the directory may not be written';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'a file stands where a directory should be';
  return `the file system answered ${code}`;
}
