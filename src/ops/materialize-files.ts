/** Writing the files of `row_materialize`: first every look at what is there, then every file at once or not at all. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isStoreError, StoreError } from '../errors.js';
import { storageError } from '../events/storage-error.js';
import { replaceFile } from '../projections/dump/write-file.js';

export interface FileToWrite {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/**
 * Looks at every place before anything is written.
 * @throws StoreError MATERIALIZE_DEST_INVALID for a place that is taken by what may not be replaced.
 */
export async function assertPlaces(files: readonly FileToWrite[], mayReplace: boolean): Promise<void> {
  for (const { path } of files) {
    const found = await kindOf(path);
    if (found === 'directory') throw destInvalid(path, 'a directory of that name exists');
    if (found === 'file' && !mayReplace) throw destInvalid(path, 'the file exists and write_mode is error');
  }
}

/** The directory that files go to, when it exists. @throws StoreError MATERIALIZE_DEST_INVALID when it is a file. */
export async function assertDirectory(path: string): Promise<void> {
  if ((await kindOf(path)) === 'file') throw destInvalid(path, 'a file of that name exists; a directory is needed');
}

/** Each file appears whole, under its name, or not at all. @throws StoreError MATERIALIZE_IO_ERROR. */
export async function writeFiles(files: readonly FileToWrite[]): Promise<void> {
  try {
    for (const directory of new Set(files.map(({ path }) => dirname(path))))
      await mkdir(directory, { recursive: true });
    for (const { path, text } of files) await replaceFile(path, text, () => undefined);
  } catch (error) {
    throw ioError(error);
  }
}

export function destInvalid(path: string, reason: string): StoreError<'MATERIALIZE_DEST_INVALID'> {
  return new StoreError('MATERIALIZE_DEST_INVALID', { path, reason });
}

async function kindOf(path: string): Promise<'file' | 'directory' | null> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw ioError(error);
  }
}

function ioError(error: unknown): unknown {
  const meant = storageError(error);
  if (!isStoreError(meant) || !('detail' in meant.fields)) return error;
  return new StoreError('MATERIALIZE_IO_ERROR', { detail: meant.fields.detail }, { cause: error });
}
