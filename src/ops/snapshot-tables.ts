/** `data_snapshot`: copies of tables as they are now, and their upload (surface.md §4.12, storage.md §15). */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isStoreError, StoreError } from '../errors.js';
import { storageError } from '../events/storage-error.js';
import { listGenerations } from '../projections/snapshot-trigger/generations.js';
import { backupDatabase } from '../projections/snapshot-trigger/online-backup.js';
import { purgeGenerations } from '../projections/snapshot-trigger/retention.js';
import type { Table } from '../tables/table.js';
import type { Store } from './store.js';
import { objectKey, readS3Settings, type S3Settings } from './upload/s3-settings.js';
import { openUploader, type Uploader } from './upload/s3-upload.js';

export interface SnapshotInput {
  readonly table?: string | undefined;
  readonly scope?: string | undefined;
  readonly dry_run?: boolean | undefined;
  readonly upload?: boolean | undefined;
}

interface TableError {
  readonly table: string;
  readonly error: string;
}

export interface SnapshotResult {
  readonly snapshotted: { table: string; scope: string; snapshot_path: string; unix_secs: number }[];
  /** Only tables of which something was removed. */
  readonly purged: { table: string; generations_removed: number }[];
  /** Only when an old generation could not be removed; it stays for the next time. */
  purge_errors?: TableError[];
  /** Both only with `upload`. */
  readonly uploaded?: { table: string; key: string; bytes: number }[];
  readonly upload_errors?: TableError[];
}

/** What a dry run says; nothing of it takes the snapshot into account that a real run would add. */
export interface SnapshotPreview {
  readonly dry_run: true;
  readonly affects: {
    readonly target_tables: readonly string[];
    readonly row_counts: Readonly<Record<string, number>>;
    readonly would_purge_generations: Readonly<Record<string, number>>;
  };
}

/**
 * Snapshots every chosen table in the order of names. A table that fails does not keep the others from theirs; the call
 * then fails when all are done and names both. Uploads never fail the call.
 * @throws StoreError UPLOAD_NOT_CONFIGURED before anything else, also in a dry run; TABLE_NOT_FOUND; SNAPSHOT_ERROR for
 * an unknown scope and for tables without a snapshot, with `failed` and the names that have one as `snapshotted`.
 */
export async function snapshotTables(
  store: Store,
  input: SnapshotInput,
  signal?: AbortSignal,
): Promise<SnapshotResult | SnapshotPreview> {
  const target = input.upload === true ? await openTarget(store) : null;
  try {
    const tables = chosenTables(store, input);
    if (input.dry_run === true) return await preview(store, tables);
    return await new SnapshotRun(store, target, signal).over(tables);
  } finally {
    target?.uploader.close();
  }
}

interface UploadTarget {
  readonly settings: S3Settings;
  readonly uploader: Uploader;
}

async function openTarget(store: Store): Promise<UploadTarget> {
  const settings = readS3Settings(store.registry.config.env);
  return { settings, uploader: await openUploader(settings) };
}

function chosenTables(store: Store, { table, scope }: SnapshotInput): readonly Table[] {
  if (scope !== undefined && scope !== 'user' && scope !== 'project')
    throw new StoreError(
      'SNAPSHOT_ERROR',
      { detail: `unknown scope '${scope.slice(0, 40)}': use project or user` },
      { hint: 'Repeat the call with scope project or user, or without scope for the tables of both.' },
    );
  const tables = table === undefined ? store.registry.tables() : [store.registry.resolve(table)];
  return scope === undefined ? tables : tables.filter((one) => one.scope === scope);
}

const snapshotDirectory = (table: Table) => join(table.scopeRoot, '_snapshots');

async function preview(store: Store, tables: readonly Table[]): Promise<SnapshotPreview> {
  const keep = store.registry.config.snapshotRetention;
  const surplus = await Promise.all(
    tables.map(async (table) => {
      const existing = await listGenerations(snapshotDirectory(table), table.name, 'db');
      return [table.name, Math.max(0, existing.length - keep)] as const;
    }),
  );
  return {
    dry_run: true,
    affects: {
      target_tables: tables.map((table) => table.name),
      row_counts: Object.fromEntries(tables.map((table) => [table.name, countRows(table)])),
      would_purge_generations: Object.fromEntries(surplus),
    },
  };
}

/** Opening a table creates its database, which a dry run must not. */
function countRows(table: Table): number {
  return existsSync(table.databasePath) ? table.open().rows.count() : 0;
}

/** One call over several tables. */
class SnapshotRun {
  readonly #failed: TableError[] = [];
  readonly #result: SnapshotResult;

  constructor(
    private readonly store: Store,
    private readonly target: UploadTarget | null,
    private readonly signal: AbortSignal | undefined,
  ) {
    const uploads = target === null ? {} : { uploaded: [], upload_errors: [] };
    this.#result = { snapshotted: [], purged: [], ...uploads };
  }

  async over(tables: readonly Table[]): Promise<SnapshotResult> {
    for (const table of tables) {
      this.signal?.throwIfAborted();
      await this.#take(table);
    }
    if (this.#failed.length > 0) throw snapshotError(this.#failed, this.#result);
    return this.#result;
  }

  async #take(table: Table): Promise<void> {
    const path = await this.#snapshot(table);
    if (path === null) return;
    await this.#purge(table);
    if (this.target !== null) await this.#upload(this.target, table, path);
  }

  async #snapshot(table: Table): Promise<string | null> {
    try {
      if (!existsSync(table.databasePath)) table.open();
      const now = Math.floor(this.store.now() / 1000);
      const made = await backupDatabase(table.databasePath, snapshotDirectory(table), table.name, now);
      const scope = table.scope === 'legacy' ? 'unknown' : table.scope;
      const { databasePath: snapshot_path, unixSecs: unix_secs } = made;
      this.#result.snapshotted.push({ table: table.name, scope, snapshot_path, unix_secs });
      return snapshot_path;
    } catch (error) {
      this.#failed.push({ table: table.name, error: reasonOf(error) });
      return null;
    }
  }

  async #purge(table: Table): Promise<void> {
    const keep = this.store.registry.config.snapshotRetention;
    const { removed, failures } = await purgeGenerations(snapshotDirectory(table), table.name, ['db'], keep);
    if (removed > 0) this.#result.purged.push({ table: table.name, generations_removed: removed });
    if (failures.length === 0) return;
    const errors = failures.map((failure) => ({ table: table.name, error: reasonOf(failure) }));
    this.#result.purge_errors = [...(this.#result.purge_errors ?? []), ...errors];
  }

  async #upload({ settings, uploader }: UploadTarget, table: Table, path: string): Promise<void> {
    const key = objectKey(settings.prefix, basename(path));
    try {
      const bytes = await uploader.put(path, key, this.signal);
      this.#result.uploaded?.push({ table: table.name, key, bytes });
    } catch (error) {
      if (!isStoreError(error)) throw error;
      this.#result.upload_errors?.push({ table: table.name, error: error.message });
    }
  }
}

function snapshotError(failed: readonly TableError[], result: SnapshotResult): StoreError {
  const detail = failed.map(({ table, error }) => `${table}: ${error}`).join('; ');
  const snapshotted = result.snapshotted.map(({ table }) => table);
  const left = snapshotted.length === 0 ? '' : ' The snapshots of the other tables stand.';
  const hint = `Check the _snapshots directory and the free space of the tables named.${left}`;
  return new StoreError('SNAPSHOT_ERROR', { detail, failed, snapshotted }, { hint });
}

/** Never a path or SQL: what is not known stays unnamed. */
function reasonOf(error: unknown): string {
  const known = storageError(error);
  if (!isStoreError(known)) return missing(error) ? 'the database file is missing' : 'the snapshot failed';
  return known.code === 'STORAGE_ERROR' && 'detail' in known.fields ? String(known.fields.detail) : known.message;
}

function missing(error: unknown): boolean {
  return error instanceof TypeError && /directory does not exist/.test(error.message);
}
