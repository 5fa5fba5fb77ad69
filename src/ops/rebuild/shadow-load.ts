/** Fills the shadow tables from the log, in transactions of one batch each, by the projections that run live. */
import type { Connection } from '../../events/database.js';
import type { StoredEvent } from '../../events/types.js';
import { retryBusy } from '../../projections/checkpoints/retry-busy.js';
import { HistoryRows } from '../../projections/row-history/history-rows.js';
import { type ArchiveLimits, RowHistoryProjection } from '../../projections/row-history/project.js';
import { ForeignHistory, insertForeign } from '../replay/foreign-history.js';
import { PurgedRanges, purgedIn } from '../replay/purged-ranges.js';
import { ReplayedRows } from '../replay/replayed-rows.js';
import { rollBacklog } from '../replay/roll-backlog.js';
import { carryOver, readMixedChunks } from './carry-over.js';
import type { RebuildLease } from './rebuild-lease.js';
import { createShadows, haveShadows, shadowHistory, shadowRows } from './shadow-tables.js';

/**
 * A purge came while its entries were already archived in the shadow, or entries of another program were archived meanwhile:
 * the rebuild begins anew.
 */
export class StaleShadows extends Error {}

export class ShadowLoad {
  readonly #rows: ReplayedRows;
  readonly #history: RowHistoryProjection;
  readonly #historyRows: HistoryRows;
  readonly #overlap;
  readonly #purged: PurgedRanges;

  /** Takes the lease, and creates the shadow tables unless an interrupted rebuild left them. */
  static async begin(
    connection: Connection,
    lease: RebuildLease,
    table: { readonly historyName: string; readonly archive: ArchiveLimits },
    fresh = false,
  ): Promise<{ load: ShadowLoad; position: number }> {
    const mixed = await readMixedChunks(connection);
    const foreign = await ForeignHistory.read(connection);
    const position = await inTransaction(connection, () => {
      const stopped = lease.acquire();
      const mayResume = stopped !== null && haveShadows(connection) && !purgedSince(connection, stopped);
      if (!fresh && mayResume) return stopped;
      createShadows(connection);
      carryOver(connection, mixed, shadowHistory);
      lease.advance(0);
      return 0;
    });
    return { load: new ShadowLoad(connection, lease, table, foreign), position };
  }

  private constructor(
    private readonly connection: Connection,
    private readonly lease: RebuildLease,
    private readonly table: { readonly historyName: string; readonly archive: ArchiveLimits },
    private readonly foreign: ForeignHistory,
  ) {
    const { historyName, archive } = table;
    this.#rows = new ReplayedRows(connection, shadowRows);
    this.#history = new RowHistoryProjection(connection, historyName, archive, shadowHistory, false);
    this.#historyRows = new HistoryRows(connection, historyName, shadowHistory);
    this.#purged = PurgedRanges.of(connection);
    this.#overlap = connection.prepare<[string, number, number]>(
      `SELECT 1 FROM ${shadowHistory.archive} WHERE row_id = ? AND version_end >= ? AND version_start <= ?`,
    );
  }

  /** One batch, its position, and then the archive of the rows it touched. */
  async applyBatch(batch: readonly StoredEvent[], position: number): Promise<void> {
    await inTransaction(this.connection, () => {
      for (const event of batch) this.apply(event);
      this.lease.advance(position);
    });
    await this.#roll(batch, position);
  }

  /** One event, inside the open transaction. @throws StaleShadows */
  apply(event: StoredEvent): void {
    const change = this.#rows.apply(event);
    if (change !== null) {
      this.#carryForeign(event);
      if (!this.#purged.covers(event.rowId ?? '', event.rowVersion ?? 0)) this.#history.apply(change);
      return;
    }
    for (const [rowId, first, last] of purgedIn(event)) {
      if (this.#overlap.get(rowId, first, last) !== undefined && !this.#knew(rowId, first)) throw new StaleShadows();
    }
    this.#history.applyTableEvent(event);
  }

  /** Not before their event: until then there may be older entries that have to be archived first. */
  #carryForeign(event: StoredEvent): void {
    const entries = this.foreign.before(event);
    if (entries === null) throw new StaleShadows();
    insertForeign(this.connection, shadowHistory.raw, entries);
  }

  /** A purge known from the start never let its entries in; a chunk may still span the gap that it left. */
  #knew(rowId: string, version: number): boolean {
    return this.#purged.covers(rowId, version);
  }

  /** Archives what an interrupted run left undone. */
  async rollAll(position: number): Promise<void> {
    const { keepRecent, chunkMin } = this.table.archive;
    const sql = `SELECT row_id FROM ${shadowHistory.raw} WHERE table_name = ? GROUP BY row_id HAVING count(*) > ?`;
    const ids = this.connection.prepare<[string, number], string>(sql).pluck();
    for (const id of ids.all(this.table.historyName, keepRecent + chunkMin)) await this.#rollRow(id, position);
  }

  async #roll(batch: readonly StoredEvent[], position: number): Promise<void> {
    const { keepRecent, chunkMin } = this.table.archive;
    const ids = new Set<string>();
    for (const { rowId, rowVersion } of batch) {
      if (rowId !== null && (rowVersion ?? 0) > keepRecent + chunkMin) ids.add(rowId);
    }
    for (const id of ids) await this.#rollRow(id, position);
  }

  async #rollRow(rowId: string, position: number): Promise<void> {
    await rollBacklog(this.#historyRows, rowId, this.table.archive, (write) =>
      inTransaction(this.connection, () => {
        write();
        this.lease.advance(position);
      }),
    );
  }
}

/** What a later purge removed may lie in the archive that an interrupted run made. */
function purgedSince(connection: Connection, position: number): boolean {
  const sql = `SELECT EXISTS (SELECT 1 FROM _events WHERE row_id IS NULL AND seq > ? AND type = 'history.purged')`;
  return connection.prepare<[number], number>(sql).pluck().get(position) === 1;
}

/** Runs a synchronous write under `BEGIN IMMEDIATE`, waiting for other processes without blocking this one. */
export async function inTransaction<T>(connection: Connection, write: () => T): Promise<T> {
  await retryBusy(() => connection.exec('BEGIN IMMEDIATE'), 30_000);
  try {
    const result = write();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}
