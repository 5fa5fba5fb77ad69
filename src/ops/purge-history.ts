/**
 * `purge-history`: removes old history entries (storage.md §10.4), recorded as events so that a replay leaves them out too.
 * The rows' events stay in the log; a table with `history: off` gets rid of those by `compact`.
 */
import { StoreError } from '../errors.js';
import { currentVersion } from '../events/catalogue.js';
import type { CommandTransaction } from '../events/event-log.js';
import type { Caller } from '../events/types.js';
import { jsonText } from '../schema/json.js';
import type { TableDatabase } from '../tables/table-database.js';
import { Outdated, type PurgeLimits, type PurgePlan, planPurge } from './archive/purge-plan.js';
import { type OperatedTable, type WorkOptions, withDatabase } from './operated-table.js';

export interface PurgeOptions extends WorkOptions {
  readonly caller: Caller;
  /** Entries recorded more days ago than this go; 0: no such limit. */
  readonly days: number;
  /** The newest so many entries of each row stay; 0: no such limit. */
  readonly maxPerRow: number;
  /** Applies to the archive too; by default only to entries that are not archived yet. */
  readonly archive?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface Purged {
  readonly table: string;
  readonly dry_run: boolean;
  readonly rows: number;
  readonly entries: number;
  /** Of {@link entries}, those that lay in the archive. */
  readonly archived_entries: number;
}

/** @throws StoreError VALIDATION_ERROR without any limit, STORAGE_ERROR on a damaged chunk, BUSY. */
export async function purgeHistory(table: OperatedTable, options: PurgeOptions): Promise<Purged> {
  const limits = limitsOf(options, table.database.now());
  return withDatabase(table, async (database) => {
    const plan = await attempt(database, limits, options);
    const rows = new Set(plan.ranges.map(([rowId]) => rowId)).size;
    const { entries, archivedEntries: archived_entries } = plan;
    return { table: table.name, dry_run: options.dryRun ?? false, rows, entries, archived_entries };
  });
}

/** One event holds at most this many ranges. */
const rangesPerEvent = 1000;
const mostAttempts = 10;

function limitsOf({ days, maxPerRow, archive }: PurgeOptions, now: number): PurgeLimits {
  if (days === 0 && maxPerRow === 0) {
    throw new StoreError('VALIDATION_ERROR', { field: 'days', reason: 'give days, max_per_row or both' });
  }
  const before = days === 0 ? null : Math.floor(now / 1000) - days * 86_400;
  return { before, maxPerRow, archive: archive ?? false };
}

async function attempt(database: TableDatabase, limits: PurgeLimits, options: PurgeOptions): Promise<PurgePlan> {
  for (let count = 1; ; count++) {
    const plan = await planPurge(database.connection, limits, options.signal);
    if (options.dryRun === true || plan.ranges.length === 0) return plan;
    try {
      await database.log.append({ caller: options.caller, decide: (tx) => carryOut(plan, options, tx) });
      return plan;
    } catch (error) {
      if (!(error instanceof Outdated) || count === mostAttempts) throw error;
    }
  }
}

function carryOut(plan: PurgePlan, { days, maxPerRow }: PurgeOptions, tx: CommandTransaction): void {
  plan.rewriteArchive();
  const type = 'history.purged';
  for (let at = 0; at < plan.ranges.length; at += rangesPerEvent) {
    const removed = plan.ranges.slice(at, at + rangesPerEvent);
    const body = jsonText({ days, max_per_row: maxPerRow, removed });
    tx.append({ type, version: currentVersion(type), rowId: null, body });
  }
}
