/**
 * Writing `schema.yaml` together with a transaction. The file is replaced inside the open transaction and put back when that
 * is rolled back. A journal beside it, written first, says which event the change belongs to: after a crash the log decides
 * whether the change stands, as a database does with its rollback journal.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreError } from '../errors.js';
import type { EventContent } from '../events/types.js';

export interface SchemaFileChange {
  readonly path: string;
  /** Whole texts; null: no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** The newest `schema.changed` event of the transaction. */
  readonly event: Pick<EventContent, 'body'> & { readonly seq: number };
}

/** What is left to do for a change of the file. */
export interface WrittenSchemaFile {
  /** Puts the file back; for a transaction that is rolled back. */
  undo(): void;
  /** Forgets how to; for one that is committed. */
  done(): void;
}

export interface Journal {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly seq: number;
  readonly bodyDigest: string;
}

const journalName = /^\.schema-change-[0-9a-f-]{36}\.json$/;

export function isJournalName(name: string): boolean {
  return journalName.test(name);
}

/** Replaces the file, durably. @throws StoreError IO_ERROR; then nothing is changed. */
export function changeSchemaFile(change: SchemaFileChange): WrittenSchemaFile {
  const { path, before, after } = change;
  const journalPath = join(dirname(path), `.schema-change-${randomUUID()}.json`);
  const done = () => rmSync(journalPath, { force: true });
  const undo = () => ignoringFailure(() => restoreSchemaFile(change) && done());
  try {
    mkdirSync(dirname(path), { recursive: true });
    const bodyDigest = digestOf(change.event.body);
    writeAtomically(journalPath, JSON.stringify({ path, before, after, seq: change.event.seq, bodyDigest }));
    put(path, after);
    return { undo, done: () => ignoringFailure(done) };
  } catch (error) {
    undo();
    throw new StoreError('IO_ERROR', { detail: 'schema.yaml cannot be written' }, { cause: error });
  }
}

/** Puts the text from before back, unless somebody has changed the file since. True when that is done. */
export function restoreSchemaFile({ path, before, after }: Pick<Journal, 'path' | 'before' | 'after'>): boolean {
  if (readIfThere(path) === after && before !== after) put(path, before);
  return true;
}

export function readJournal(path: string): Journal | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Journal;
  } catch {
    return null;
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The text of a file; null when there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function put(path: string, text: string | null): void {
  if (text === null) rmSync(path, { force: true });
  else writeAtomically(path, text);
  syncDirectory(dirname(path));
}

/** A link is followed, so that the file it leads to is the one that changes. */
function writeAtomically(path: string, text: string): void {
  const target = resolved(path);
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    const file = openSync(draft, 'wx');
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function syncDirectory(path: string): void {
  ignoringFailure(() => {
    // Some systems cannot open a directory; there the rename is as durable as it gets.
    const directory = openSync(path, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  });
}

function ignoringFailure(step: () => unknown): void {
  try {
    step();
  } catch {
    // The journal stays, and the next mount tries again.
  }
}
