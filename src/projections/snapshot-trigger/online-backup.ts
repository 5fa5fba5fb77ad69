/** Copies of a live database, by SQLite's online backup: never a file copy, never in the way of a writer. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { type Draft, generationPath, publish } from './generations.js';

export interface BackedUp {
  /** The name's second, which is later than asked for when that one was taken. */
  readonly unixSecs: number;
  readonly databasePath: string;
}

/** Some 1 MB at a time, about 3 ms: the event loop gets its turns, and the whole copy takes no longer than in larger steps. */
const pagesPerStep = 250;

/**
 * Writes `<targetDir>/<table>.<unix_secs>.db` (a snapshot). The file appears complete or not at all.
 * @param now Unix seconds.
 * @throws what SQLite or the file system throws; the source must exist.
 */
export async function backupDatabase(
  sourcePath: string,
  targetDir: string,
  table: string,
  now: number,
): Promise<BackedUp> {
  return await withDraft(targetDir, async (base) => {
    const drafts = [await draftDatabase(sourcePath, base)];
    return await name(targetDir, table, now, drafts);
  });
}

/** The same with a copy of `schema.yaml` under the same second (a backup). */
export async function backupPair(
  source: { readonly schemaPath: string; readonly databasePath: string },
  targetDir: string,
  table: string,
  now: number,
): Promise<BackedUp> {
  return await withDraft(targetDir, async (base) => {
    const yaml: Draft = { path: `${base}.yaml.tmp`, kind: 'yaml' };
    await copyFile(source.schemaPath, yaml.path);
    return await name(targetDir, table, now, [yaml, await draftDatabase(source.databasePath, base)]);
  });
}

async function name(targetDir: string, table: string, now: number, drafts: readonly Draft[]): Promise<BackedUp> {
  const unixSecs = await publish(targetDir, table, now, drafts);
  return { unixSecs, databasePath: generationPath(targetDir, table, unixSecs, 'db') };
}

async function withDraft<T>(targetDir: string, write: (base: string) => Promise<T>): Promise<T> {
  await mkdir(targetDir, { recursive: true });
  const base = join(targetDir, `.draft-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    return await write(base);
  } finally {
    const leftovers = ['.yaml.tmp', '.db.tmp', '.db.tmp-journal', '.db.tmp-wal', '.db.tmp-shm'];
    await Promise.all(leftovers.map((suffix) => rm(base + suffix, { force: true })));
  }
}

async function draftDatabase(sourcePath: string, base: string): Promise<Draft> {
  const draft: Draft = { path: `${base}.db.tmp`, kind: 'db' };
  const source = new Sqlite(sourcePath, { fileMustExist: true });
  try {
    holdSnapshot(source);
    await source.backup(draft.path, { progress: () => pagesPerStep });
  } finally {
    source.close();
  }
  return draft;
}

/**
 * A backup starts over whenever somebody else commits, so under steady writes it would never end. An open read transaction
 * keeps it on one state. Only with a WAL: a rollback journal would make the writers wait for it.
 */
function holdSnapshot(source: Database): void {
  if (source.pragma('journal_mode', { simple: true }) !== 'wal') return;
  source.exec('BEGIN');
  source.prepare('SELECT count(*) FROM sqlite_master').get();
}
