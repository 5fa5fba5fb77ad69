/** `_global.db` of a scope directory, open: its own log and the aliases that are projected from it (rulings 3.1). */
import { join } from 'node:path';
import { StoreError } from '../errors.js';
import { type Connection, type OpenedDatabase, openDatabase } from '../events/database.js';
import type { EventLog } from '../events/event-log.js';
import type { RowStates } from '../events/inline-projection.js';
import { globalSet } from '../events/migrate.js';
import { SqliteEventLog } from '../events/sqlite-event-log.js';
import { storageError } from '../events/storage-error.js';
import { type KnownNames, knownNames } from '../projections/aliases/known-names.js';
import { AliasesProjection } from '../projections/aliases/project.js';
import { type AliasQueries, globalAliases, SqliteAliasQueries } from '../projections/aliases/queries.js';
import { ViewsProjection } from '../projections/views/project.js';
import { ViewQueries } from '../projections/views/queries.js';
import type { AliasScope, AliasStore } from './alias-stores.js';
import { refusing } from './table-database.js';

const noRows: RowStates = { get: () => null, lastVersion: () => 0 };

/** The path of a scope directory's store. */
export function globalPath(directory: string): string {
  return join(directory, '_global.db');
}

export class GlobalDatabase implements AliasStore {
  readonly log: EventLog;
  readonly aliases: AliasQueries;
  readonly names: KnownNames;
  readonly views: ViewQueries;
  readonly #connection: Connection;
  readonly #events: SqliteEventLog;

  /** Creates directory and file if need be. @throws StoreError STORAGE_ERROR, TABLE_READ_ONLY. */
  static open(directory: string, scope: AliasScope, now: () => number): GlobalDatabase {
    const opened = openDatabase(globalPath(directory), globalSet);
    try {
      return new GlobalDatabase(opened, scope, now);
    } catch (error) {
      opened.connection.close();
      if (opened.readOnlyBecause === null) throw storageError(error);
      const reason = `${opened.readOnlyBecause}, and it was never opened for writing before`;
      throw new StoreError('TABLE_READ_ONLY', { table: '_global', reason }, { cause: error });
    }
  }

  private constructor(
    { connection, readOnlyBecause }: OpenedDatabase,
    readonly scope: AliasScope,
    now: () => number,
  ) {
    const projections = [new AliasesProjection(connection, globalAliases), new ViewsProjection(connection)];
    this.#connection = connection;
    this.#events = new SqliteEventLog({ connection, states: noRows, projections, now });
    this.log = readOnlyBecause === null ? this.#events : refusing(this.#events, { name: '_global' }, readOnlyBecause);
    this.aliases = new SqliteAliasQueries(connection, globalAliases);
    this.names = knownNames(connection);
    this.views = new ViewQueries(connection);
  }

  /** Whether its file is not the one at its path any more. */
  hasMoved(): boolean {
    return this.#events.hasMoved();
  }

  async close(): Promise<void> {
    await this.#events.close();
    this.#connection.close();
  }
}
