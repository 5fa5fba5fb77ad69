/**
 * Markdown copies of rows as a follower. Only the newest state of a row matters, so a batch is the set of its rows, each
 * written once. A copy never feeds back into the table.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { isStoreError, StoreError } from '../../errors.js';
import type { StoredEvent } from '../../events/types.js';
import type { DumpSettings } from '../../schema/table-schema.js';
import { LeaseLost } from '../checkpoints/checkpoints.js';
import type { ApplyContext, Follower } from '../projection.js';
import type { RowQueries } from '../rows/queries.js';
import { assertDumpDirectory, type DumpPlace, dumpDirectory } from './dump-path.js';
import { removeLeftovers } from './write-file.js';
import { type RowTarget, writeRow } from './write-row.js';

export interface DumpOptions extends DumpPlace {
  readonly rows: Pick<RowQueries, 'get'>;
  readonly settings: DumpSettings;
  /** Told once when the settings ask for more than is done. */
  readonly warn: (message: string) => void;
}

/** The version of the bytes and of the file names. */
const format = 1;

/**
 * The follower of one directory. Processes with different working directories may have different ones for the same table,
 * so each directory has a checkpoint of its own. Other settings start over: every live row's file is brought up to date.
 */
export function dumpFollower(options: DumpOptions): Follower {
  if (options.settings.sync === 'bidirectional') {
    options.warn(`table ${options.schema.table}: dump.sync bidirectional is not implemented, dumping is write-only`);
  }
  let tidied = false;
  return {
    name: dumpCheckpoint(options),
    version: versionOf(options.settings),
    startsAt: 'origin',
    async apply(batch, context) {
      const target = await openTarget(options, context);
      if (!tidied) await removeLeftovers(target.directory);
      tidied = true;
      await writeRows(distinctRows(batch), target, context.signal);
    },
  };
}

/** The checkpoint's name: `dump:` and a digest of the directory. */
export function dumpCheckpoint(place: DumpPlace): string {
  return `dump:${digest(dumpDirectory(place)).slice(0, 12)}`;
}

/**
 * Rewrites the copies of these rows, whatever the checkpoint says: the rebuild of the dump. The caller holds the lease of
 * {@link dumpCheckpoint} and passes all live ids.
 * @throws StoreError SCHEMA_ERROR, IO_ERROR; the abort reason.
 */
export async function rewriteDump(
  ids: Iterable<string>,
  options: DumpOptions,
  context: Pick<ApplyContext, 'signal' | 'assertLeased'>,
): Promise<void> {
  await writeRows(ids, await openTarget(options, context), context.signal);
}

async function openTarget(options: DumpOptions, context: Pick<ApplyContext, 'assertLeased'>): Promise<RowTarget> {
  const directory = dumpDirectory(options);
  try {
    await assertDumpDirectory(options);
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw isStoreError(error) ? error : ioError('the dump directory cannot be used', error);
  }
  return { directory, rows: options.rows, settings: options.settings, assertLeased: context.assertLeased };
}

/** One row that cannot be written does not hold up the others of the batch; the first failure is thrown at the end. */
async function writeRows(ids: Iterable<string>, target: RowTarget, signal: AbortSignal): Promise<void> {
  const failures: StoreError[] = [];
  for (const id of ids) {
    signal.throwIfAborted();
    try {
      await writeRow(id, target);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      failures.push(ioError(`the dump file of row ${id} cannot be written`, error));
    }
  }
  const [first] = failures;
  if (first !== undefined) throw first;
}

/** The rows of a batch, each once, in the order of their last event. */
function distinctRows(batch: readonly StoredEvent[]): string[] {
  const ids = new Set<string>();
  for (const { rowId } of batch) {
    if (rowId === null) continue;
    ids.delete(rowId);
    ids.add(rowId);
  }
  return [...ids];
}

/** Names the system's code but no path: the directory may lie outside of the data directories. */
function ioError(what: string, error: unknown): StoreError<'IO_ERROR'> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return new StoreError('IO_ERROR', { detail: `${what} (${code})` }, { cause: error });
}

function versionOf(settings: DumpSettings): number {
  const parts = JSON.stringify([format, settings.dir, settings.title_field, settings.body_field]);
  return Number.parseInt(digest(parts).slice(0, 12), 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
