/** The followers of one table in this process: markdown copies and automatic snapshots, where they are asked for. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { merge } from 'rxjs';
import { patiently } from '../events/database.js';
import { introduceCheckpoint } from '../projections/checkpoints/introduce.js';
import { dataVersion$ } from '../projections/data-version.js';
import { dumpFollower } from '../projections/dump/dump-follower.js';
import type { Follower, FollowerStatus } from '../projections/projection.js';
import { RunningFollower } from '../projections/running-follower.js';
import { backupDatabase } from '../projections/snapshot-trigger/online-backup.js';
import { purgeGenerations } from '../projections/snapshot-trigger/retention.js';
import { snapshotTrigger } from '../projections/snapshot-trigger/snapshot-trigger.js';
import type { MountContext } from './mount-context.js';
import type { Table } from './table.js';
import type { TableDatabase } from './table-database.js';

export class TableFollowers {
  /** Those that callers wait for come first. */
  #running: readonly RunningFollower[] = [];
  readonly #started: Promise<void>;
  readonly #connection: Database.Database | null;

  constructor(table: Table, database: TableDatabase, context: MountContext) {
    const dump = dumpOf(table, database, context);
    const snapshots = snapshotsOf(table, context);
    const followers = database.readOnlyBecause === null ? [...dump, ...snapshots] : [];
    // What is there already needs no copy; what comes from now on does, also when this process dies in between.
    for (const { name, version } of followers) {
      patiently(() => introduceCheckpoint(database.connection, name, version, database.head()));
    }
    // Checkpoints need not survive a power cut: they only say what need not be done again. Hence a connection of their own.
    this.#connection = followers.length === 0 ? null : new Database(table.databasePath);
    this.#visible = dump.length;
    this.#started = this.#start(followers, database, context);
  }

  readonly #visible: number;

  /** Waits until what a caller should see is done up to `seq`; 2 s at most. */
  async settled(seq: number): Promise<void> {
    if (this.#visible === 0) return;
    await this.#started;
    await Promise.all(this.#running.slice(0, this.#visible).map((follower) => follower.settled(seq)));
  }

  status(head: number): FollowerStatus[] {
    return this.#running.map((follower) => follower.status(head));
  }

  async close(): Promise<void> {
    await this.#started;
    await Promise.all(this.#running.map((follower) => follower.close()));
    this.#connection?.close();
  }

  /** Most tables have no followers, so what only these need is loaded when there are some. */
  async #start(followers: readonly Follower[], database: TableDatabase, context: MountContext): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    const { SqliteCheckpoints } = await import('../projections/checkpoints/sqlite-checkpoints.js');
    const checkpoints = new SqliteCheckpoints(connection);
    const signals$ = merge(database.log.committed$, dataVersion$(database.connection));
    const report = (name: string, error: unknown) => context.log('warn', `follower ${name} failed`, { error });
    this.#running = followers.map(
      (follower) => new RunningFollower(database.log, follower, { checkpoints, signals$, report }),
    );
  }
}

function dumpOf(table: Table, database: TableDatabase, context: MountContext): Follower[] {
  const { schema, scope, scopeRoot } = table;
  if (schema.dump === null) return [];
  const warn = (message: string) => context.log('warn', message);
  const place = { schema, scope, scopeRoot, cwd: context.config.cwd };
  return [dumpFollower({ ...place, rows: database.rows, settings: schema.dump, warn })];
}

function snapshotsOf(table: Table, { config, now }: MountContext): Follower[] {
  if (config.snapshotEvery === null) return [];
  const directory = join(table.scopeRoot, '_snapshots');
  const take = async () => {
    await backupDatabase(table.databasePath, directory, table.name, Math.floor(now() / 1000));
    await purgeGenerations(directory, table.name, ['db'], config.snapshotRetention);
  };
  return [snapshotTrigger({ every: config.snapshotEvery, take })];
}
