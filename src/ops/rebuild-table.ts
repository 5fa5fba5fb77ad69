/**
 * `rebuild`: makes `rows` and the row history anew from the log, in shadow tables, while others read and write. Only where
 * they differ are the live ones replaced, in one transaction; what somebody wrote past the log is discarded and named
 * (rulings 3.10, 3.11). No side effect runs again: followers keep their checkpoints.
 */
import { StoreError } from '../errors.js';
import { currentVersion } from '../events/catalogue.js';
import type { CommandTransaction } from '../events/event-log.js';
import { EventRows } from '../events/event-rows.js';
import { storageError } from '../events/storage-error.js';
import type { Caller } from '../events/types.js';
import { replay } from '../projections/replay.js';
import { liveTables } from '../projections/row-history/history-rows.js';
import { syncFieldIndexes } from '../projections/rows/field-indexes.js';
import { jsonText } from '../schema/json.js';
import type { TableDatabase } from '../tables/table-database.js';
import { type OperatedTable, type WorkOptions, withDatabase } from './operated-table.js';
import { HistoryComparison } from './rebuild/compare-history.js';
import { RebuildLease } from './rebuild/rebuild-lease.js';
import { inTransaction, ShadowLoad, StaleShadows } from './rebuild/shadow-load.js';
import { dropShadows, shadowHistory, shadowRows, swapHistory, swapRows } from './rebuild/shadow-tables.js';
import { areIdenticalRows, firstMisplaced, rowDifferences } from './replay/compare-rows.js';
import { readableLog } from './replay/snapshot.js';

export const rebuildable = ['rows', 'row-history'] as const;
export type Rebuildable = (typeof rebuildable)[number];

export interface RebuildOptions extends WorkOptions {
  readonly caller: Caller;
  /** Default: all of them. */
  readonly projections?: readonly Rebuildable[] | undefined;
}

export interface Rebuilt {
  readonly table: string;
  readonly events: number;
  /** Where an interrupted rebuild was taken up; 0 for one from the start. */
  readonly resumed_at: number;
  readonly replaced: readonly Replaced[];
}

/** A projection that differed and was replaced. */
export interface Replaced {
  readonly projection: Rebuildable;
  readonly differences: number;
  /** Ids of rows whose foreign changes were discarded, the first 1,000. */
  readonly discarded: readonly string[];
}

/** @throws StoreError UNKNOWN_EVENT before anything is replaced, CORRUPT_LOG, BUSY; the signal's reason, to be resumed. */
export async function rebuildTable(table: OperatedTable, options: RebuildOptions): Promise<Rebuilt> {
  return withDatabase(table, async (database) => {
    const rebuild = new Rebuild(table, database, options);
    try {
      return await rebuild.run();
    } catch (error) {
      await rebuild.interrupted();
      throw storageError(error);
    }
  });
}

/** The end of the log that is left for the transaction that swaps. */
const tail = 1000;
const shown = 1000;

/** Random ids touch the same pages again and again, so that larger transactions write less; others wait 0.1 s for one. */
const batchSize = 4_000;

const forgetNotes = 'DELETE FROM _foreign_writes';
/** History that another program kept of its changes still takes up versions; the note makes the next event skip them. */
const forgetNotesWithoutHistory = `${forgetNotes} WHERE row_id NOT IN (SELECT row_id FROM _row_history h
  WHERE version > coalesce((SELECT max(row_version) FROM _events e WHERE e.row_id = h.row_id), 0))`;

/** The live tables have moved on since the last look; nothing was changed. */
class LookAgain extends Error {}

class Rebuild {
  readonly #lease: RebuildLease;
  readonly #events: EventRows;
  readonly #comparison: HistoryComparison;
  #position = 0;

  constructor(
    private readonly table: OperatedTable,
    private readonly database: TableDatabase,
    private readonly options: RebuildOptions,
  ) {
    const { connection, readOnlyBecause } = database;
    if (readOnlyBecause !== null)
      throw new StoreError('TABLE_READ_ONLY', { table: table.name, reason: readOnlyBecause });
    // A batch lost with the power is done again; only the swap has to last.
    connection.pragma('synchronous = NORMAL');
    connection.pragma('legacy_alter_table = ON');
    // Random ids touch the same pages again and again; they are moved into the file less often.
    connection.pragma('cache_size = -131072');
    connection.pragma('wal_autocheckpoint = 8000');
    this.#lease = new RebuildLease(connection, table.database.now);
    this.#events = new EventRows(connection);
    this.#comparison = new HistoryComparison(connection, liveTables, shadowHistory);
  }

  async run(fresh = false): Promise<Rebuilt> {
    const { connection } = this.database;
    const { load, position } = await ShadowLoad.begin(connection, this.#lease, this.table.database, fresh);
    this.#position = position;
    try {
      await this.#catchUp(load);
      await load.rollAll(this.#position);
      const replaced = await this.#finish(load);
      return { table: this.table.name, events: this.#position, resumed_at: position, replaced };
    } catch (error) {
      if (error instanceof StaleShadows && !fresh) return this.run(true);
      throw error;
    }
  }

  /** Keeps what was done for the next attempt, and lets others make it. */
  async interrupted(): Promise<void> {
    await inTransaction(this.database.connection, () => this.#lease.release()).catch(() => undefined);
  }

  async #catchUp(load: ShadowLoad): Promise<void> {
    const { signal, onProgress } = this.options;
    for (let head = this.#events.head().seq; head > this.#position; head = this.#events.head().seq) {
      await replay({
        log: readableLog(this.#events),
        from: this.#position,
        to: head,
        batchSize,
        apply: async (batch, position) => {
          await load.applyBatch(batch, position);
          this.#position = position;
        },
        onProgress: ({ position }) => onProgress?.({ done: position, total: head }),
        ...(signal === undefined ? {} : { signal }),
      });
      if (this.#events.head().seq - head <= tail) return;
    }
  }

  async #finish(load: ShadowLoad): Promise<Replaced[]> {
    this.database.connection.pragma('synchronous = FULL');
    for (let attempt = 1; ; attempt++) {
      await this.#comparison.prepare(() => this.options.signal?.throwIfAborted());
      try {
        const decide = (tx: CommandTransaction) => this.#swap(load, tx);
        return (await this.database.log.append({ caller: this.options.caller, decide })).result;
      } catch (error) {
        if (!(error instanceof LookAgain) || attempt === 20) throw error;
        await this.#catchUp(load);
      }
    }
  }

  /** Under the write lock: the last events, the comparison, and the swap where there is a difference. */
  #swap(load: ShadowLoad, tx: CommandTransaction): Replaced[] {
    const { connection } = this.database;
    const { projections = rebuildable } = this.options;
    const last = this.#events.after(this.#position, 2 * tail);
    if (last.length === 2 * tail) throw new LookAgain();
    for (const event of last) load.apply(event);
    const withHistory = projections.includes('row-history');
    if (withHistory && !this.#comparison.isPrepared()) throw new LookAgain();
    const replaced = [
      ...(projections.includes('rows') ? this.#swapRows() : []),
      ...(withHistory ? this.#swapHistory() : []),
    ];
    if (projections.includes('rows')) connection.exec(withHistory ? forgetNotes : forgetNotesWithoutHistory);
    dropShadows(connection);
    this.#lease.remove();
    for (const { projection, differences, discarded } of replaced) {
      const type = 'projection.rebuilt';
      const body = jsonText({ projection, discarded, differences });
      tx.append({ type, version: currentVersion(type), rowId: null, body });
    }
    this.#position = last.at(-1)?.seq ?? this.#position;
    return replaced;
  }

  #swapRows(): Replaced[] {
    const { connection } = this.database;
    if (areIdenticalRows(connection, 'rows', shadowRows)) return [];
    const discarded: string[] = [];
    let differences = 0;
    for (const { id } of rowDifferences(connection, 'rows', shadowRows)) {
      differences++;
      if (discarded.length < shown && id !== null) discarded.push(id);
    }
    const misplaced = differences === 0 ? firstMisplaced(connection, 'rows', shadowRows) : null;
    if (misplaced !== null) discarded.push(misplaced);
    if (differences === 0 && misplaced === null) return [];
    swapRows(connection);
    syncFieldIndexes(connection, this.table.schema.indexes ?? []);
    return [{ projection: 'rows', differences: Math.max(differences, 1), discarded }];
  }

  #swapHistory(): Replaced[] {
    const { count, rows } = this.#comparison.differences(shown);
    if (count === 0) return [];
    swapHistory(this.database.connection);
    return [{ projection: 'row-history', differences: count, discarded: rows }];
  }
}
