/** Names of tables: which are allowed, and when two of them are the same (storage.md §5, rulings §2 "names"). */
import { StoreError } from '../errors.js';

const allowed = /^[A-Za-z0-9_-]+$/;
const windowsDevice = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/i;
/** Directories of a scope that hold something else than a table. */
const reserved = /^_(backup|snapshots)$/i;
/** Leaves room for the suffixes of backups in a file name of 255 bytes. */
const maxLength = 200;

/** @throws StoreError VALIDATION_ERROR, field `table`. */
export function assertTableName(name: string): void {
  const reason = objection(name);
  if (reason !== null) throw new StoreError('VALIDATION_ERROR', { field: 'table', reason });
}

/** Two names equal after NFC and case folding are one table: a file system that ignores case cannot hold both. */
export function sameName(a: string, b: string): boolean {
  return foldName(a) === foldName(b);
}

/** The form under which names are compared. */
export function foldName(name: string): string {
  // Upper before lower case also folds letters that have no single lower-case partner, such as ß and ſ.
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

function objection(name: string): string | null {
  if (name === '') return 'a table name must not be empty';
  if (name.length > maxLength) return `a table name must not be longer than ${maxLength} characters`;
  if (!allowed.test(name)) return 'a table name may hold only the characters A-Z a-z 0-9 _ -';
  if (windowsDevice.test(name)) return `'${name}' is the name of a Windows device; choose another`;
  if (reserved.test(name)) return `'${name}' is the name of a directory of the store; choose another`;
  return null;
}
