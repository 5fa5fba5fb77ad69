/** Finding tables: every sub-directory with a schema.yaml, and the one table of legacy mode (rulings §2 "directories"). */
import {
  closeSync,
  type Dirent,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isStoreError, StoreError } from '../errors.js';
import { storageError } from '../events/storage-error.js';
import { parseSchema } from '../schema/parse-schema.js';
import type { LegacyTable } from './config.js';
import { recoverSchemaFile } from './recover-schema-file.js';
import type { FailedTable, Scope, TableDefinition } from './table.js';

/** Stands for the name where a whole scope could not be read; schema_create makes no such table. */
export const everyTable = '*';

export interface Scan {
  readonly found: TableDefinition[];
  readonly failed: FailedTable[];
}

/** The tables of one scope directory, by name. A missing directory has none; a broken table is reported, not fatal. */
export function scanDirectory(directory: string, scope: Exclude<Scope, 'legacy'>): Scan {
  const scan: Scan = { found: [], failed: [] };
  for (const name of subdirectories(directory, scope, scan)) {
    const schemaPath = join(directory, name, 'schema.yaml');
    const databasePath = join(directory, name, `${name}.db`);
    try {
      recoverSchemaFile(join(directory, name), databasePath);
      if (!isThere(schemaPath)) continue;
      const schemaText = readSchema(schemaPath, `${name}/schema.yaml`);
      const schema = parseSchema(schemaText, `${name}/schema.yaml`);
      assertDatabase(databasePath);
      scan.found.push({ name, scope, schema, schemaText, schemaPath, databasePath, scopeRoot: directory });
    } catch (error) {
      scan.failed.push(failureOf(name, scope, error));
    }
  }
  return scan;
}

/** The table of legacy mode. @throws StoreError SCHEMA_ERROR, IO_ERROR, STORAGE_ERROR: without it there is nothing to serve. */
export function legacyTable({ schemaPath, databasePath }: LegacyTable): TableDefinition {
  const schemaText = readSchema(schemaPath, basename(schemaPath));
  const schema = parseSchema(schemaText, basename(schemaPath));
  assertDatabase(databasePath);
  const scopeRoot = dirname(databasePath);
  return { name: schema.table, scope: 'legacy', schema, schemaText, schemaPath, databasePath, scopeRoot };
}

function subdirectories(directory: string, scope: Scope, scan: Scan): string[] {
  return entries(directory, scope, scan)
    .filter((entry) => !/^_(backup|snapshots)$/.test(entry.name) && isDirectory(directory, entry))
    .map((entry) => entry.name)
    .sort();
}

/** A link to a directory counts as one: tables are kept elsewhere and linked here. */
function isDirectory(parent: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(join(parent, entry.name), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Also true of a link that leads nowhere: somebody meant a table to be here. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function entries(directory: string, scope: Scope, scan: Scan): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code !== 'ENOENT') scan.failed.push(unreadableScope(scope, code));
    return [];
  }
}

function unreadableScope(scope: Scope, code: string): FailedTable {
  const message = `the directory of the ${scope} scope cannot be read (${code})`;
  return { table: everyTable, scope, code: 'IO_ERROR', message };
}

function readSchema(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StoreError('IO_ERROR', { detail: `${shown} cannot be read` }, { cause: error });
  }
}

const magic = 'SQLite format 3\0';

/** A file that is no database is found out here, before anything is asked of the table. */
function assertDatabase(path: string): void {
  if (!existsSync(path)) return;
  const head = Buffer.alloc(magic.length);
  const file = openSync(path, 'r');
  try {
    const read = readSync(file, head, 0, head.length, 0);
    if (read === 0 || head.toString('latin1') === magic) return;
  } finally {
    closeSync(file);
  }
  throw new StoreError('STORAGE_ERROR', { detail: 'the file is not a SQLite database' });
}

/** What is said of a table that could not be mounted or opened. */
export function failureOf(table: string, scope: Scope, error: unknown): FailedTable {
  const known = storageError(error);
  const code = isStoreError(known) ? known.code : 'IO_ERROR';
  const message = isStoreError(known) ? known.message : 'the table cannot be read';
  return { table, scope, code, message };
}
