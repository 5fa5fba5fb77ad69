/** The backup pair before a schema is changed or removed (storage.md §15). */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../errors.js';
import { generationPath } from '../../projections/snapshot-trigger/generations.js';
import { backupPair } from '../../projections/snapshot-trigger/online-backup.js';
import { purgeGenerations } from '../../projections/snapshot-trigger/retention.js';
import type { Store } from '../store.js';
import type { BatchOp } from './batch-ops.js';
import type { TableTarget } from './table-target.js';

export interface Backup {
  readonly directory: string;
  readonly paths: readonly string[];
}

export interface Backups {
  readonly made: readonly Backup[];
  /** Removes those beyond the retention. */
  purge(): Promise<void>;
  /** Removes what was made, because nothing was changed after all. */
  discard(): Promise<void>;
}

interface Subject {
  readonly store: Store;
  readonly target: TableTarget;
  readonly ops: readonly BatchOp[];
}

/** One pair, whatever the number of ops; none for a table that does not exist yet. @throws StoreError BACKUP_ERROR. */
export async function backUp({ store, target, ops }: Subject): Promise<Backups> {
  const directory = join(target.scopeRoot, '_backup');
  const isNeeded = ops.some(({ op }) => op === 'schema_update' || op === 'schema_delete');
  const made = isNeeded && existsSync(target.schemaPath) ? [await makePair(store, target, directory)] : [];
  return {
    made,
    purge: async () => {
      if (made.length === 0) return;
      // What cannot be removed now is surplus the next time, too.
      await purgeGenerations(directory, target.name, ['yaml', 'db'], store.registry.scopes.backupRetention);
    },
    discard: async () => {
      const paths = made.flatMap((backup) => backup.paths);
      await Promise.all(paths.map((path) => rm(path, { force: true })));
    },
  };
}

async function makePair(store: Store, target: TableTarget, directory: string): Promise<Backup> {
  const { name } = target;
  try {
    // Opening makes the database when there is none yet.
    target.table.open();
    const { unixSecs } = await backupPair(target, directory, name, Math.floor(store.now() / 1000));
    const paths = (['yaml', 'db'] as const).map((kind) => generationPath(directory, name, unixSecs, kind));
    return { directory, paths };
  } catch (error) {
    const detail = `the backup of table ${name} cannot be written`;
    throw new StoreError('BACKUP_ERROR', { detail }, { cause: error });
  }
}
