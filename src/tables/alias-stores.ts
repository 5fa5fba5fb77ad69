/** Where aliases live: one store per scope directory, or the table's own database when there is no directory. */
import type { EventLog } from '../events/event-log.js';
import type { AliasQueries } from '../projections/aliases/queries.js';
import type { Scope } from './scope.js';

export type AliasScope = Exclude<Scope, 'legacy'>;

export interface AliasStore {
  /** `legacy`: the table's own database, which keeps neither sources nor aggregator, fields and order_by. */
  readonly scope: Scope;
  readonly log: EventLog;
  readonly aliases: AliasQueries;
}

export interface AliasStores {
  /** The stores there are, the one whose aliases win first. Aliases of older databases have been taken over. */
  readable(): Promise<readonly AliasStore[]>;
  /**
   * The store for a new alias: the scope asked for, else the project's when its directory exists, else the user's.
   * @throws StoreError CONFIG_ERROR when that scope has no directory.
   */
  writable(scope: AliasScope | undefined): Promise<AliasStore>;
}
