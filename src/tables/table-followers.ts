/** The followers of one table in this process: markdown copies and automatic snapshots, where they are asked for. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { merge } from 'rxjs';
import { patiently } from '../events/database.js';
import { SqliteCheckpoints } from '../projections/checkpoints/sqlite-checkpoints.js';
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
  readonly #running: readonly RunningFollower[];
  readonly #visible: readonly RunningFollower[];
  readonly #connection: Database.Database | null;

  constructor(table: Table, database: TableDatabase, context: MountContext) {
    const dump = dumpOf(table, database, context);
    const snapshots = snapshotsOf(table, context);
    const followers = database.readOnlyBecause === null ? [...dump, ...snapshots] : [];
    // Checkpoints need not survive a power cut: they only say what need not be done again. Hence a connection of their own.
    this.#connection = followers.length === 0 ? null : new Database(table.databasePath);
    this.#running = this.#start(followers, database, context);
    this.#visible = this.#running.slice(0, dump.length);
  }

  /** Waits until what a caller should see is done up to `seq`; 2 s at most. */
  async settled(seq: number): Promise<void> {
    await Promise.all(this.#visible.map((follower) => follower.settled(seq)));
  }

  status(head: number): FollowerStatus[] {
    return this.#running.map((follower) => follower.status(head));
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((follower) => follower.close()));
    this.#connection?.close();
  }

  #start(followers: readonly Follower[], database: TableDatabase, context: MountContext): RunningFollower[] {
    const connection = this.#connection;
    if (connection === null) return [];
    const checkpoints = new SqliteCheckpoints(connection);
    const signals$ = merge(database.log.committed$, dataVersion$(database.connection));
    return followers.map((follower) => {
      // What is there already needs no copy; what comes from now on does, also when this process dies in between.
      patiently(() => checkpoints.introduce(follower.name, follower.version, database.head()));
      const report = (name: string, error: unknown) => context.log('warn', `follower ${name} failed`, { error });
      return new RunningFollower(database.log, follower, { checkpoints, signals$, report });
    });
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
