/** Events to the row history: one entry per change, and the roll of old entries into the archive (storage.md §10). */
import type { Connection } from '../../events/database.js';
import type { RowChange } from '../../events/evolve.js';
import { type InlineProjection, PrepareFirst } from '../../events/inline-projection.js';
import type { RecordedEvent } from '../../events/types.js';
import { compressEntries, encodeLines, storedFrame } from './chunk.js';
import { type EntryRef, HistoryRows, type HistoryTables, liveTables } from './history-rows.js';
import type { HistoryEntry } from './queries.js';

/** How many entries of a row stay uncompressed, and how many a chunk takes at least (the seed's two variables). */
export interface ArchiveLimits {
  readonly keepRecent: number;
  readonly chunkMin: number;
}

export const defaultArchiveLimits: ArchiveLimits = { keepRecent: 16, chunkMin: 48 };

interface PreparedChunk {
  readonly ids: readonly number[];
  readonly blob: Buffer;
}

/**
 * Compressed chunks that are kept at once. One stays after its use, because the command that used it may be rolled back and
 * run again; after the commit its entries are gone, so that it fits nothing any more.
 */
const keptChunks = 64;

export class RowHistoryProjection implements InlineProjection {
  readonly #rows: HistoryRows;
  readonly #prepared = new Map<string, PreparedChunk>();
  readonly #purge;

  constructor(
    connection: Connection,
    tableName: string,
    private readonly limits: ArchiveLimits,
    tables: HistoryTables = liveTables,
    /** A rebuild archives between its transactions instead. */
    private readonly rollAtOnce = true,
  ) {
    this.#rows = new HistoryRows(connection, tableName, tables);
    this.#purge = connection.prepare(`DELETE FROM ${tables.raw} WHERE row_id = ? AND version BETWEEN ? AND ?`);
  }

  apply(change: RowChange, urgent = false): void {
    const entry = historyEntryOf(change);
    if (entry === null) return;
    this.#rows.insert(entry);
    if (this.rollAtOnce) this.#roll(entry, urgent);
  }

  applyTableEvent(event: RecordedEvent): void {
    if (event.type !== 'history.purged') return;
    const body = JSON.parse(event.body) as { removed: [string, number, number][] };
    for (const [rowId, first, last] of body.removed) this.#purge.run(rowId, first, last);
  }

  #roll({ rowId, version }: Omit<HistoryEntry, 'id'>, urgent: boolean): void {
    // Versions are distinct and start at 1, so a row cannot have more entries than its version says.
    if (version <= this.limits.keepRecent + this.limits.chunkMin) return;
    const size = rollSize(this.#rows.countRaw(rowId), this.limits);
    if (size === 0) return;
    const oldest = this.#rows.oldestRefs(rowId, size);
    const prepared = this.#prepared.get(rowId);
    // What this very transaction made cannot have been compressed before it, nor can many chunks of one command.
    const ready = prepared !== undefined && startsWith(oldest, prepared.ids) ? prepared : null;
    const mayExist = oldest.some((entry) => entry.version < version);
    if (ready === null && mayExist && !urgent) throw new PrepareFirst(() => this.#prepare(rowId, size));
    archive(this.#rows, rowId, oldest, ready);
  }

  /** Runs between transactions, so what it reads is committed: such entries never change and their ids never return. */
  async #prepare(rowId: string, size: number): Promise<void> {
    const ids: number[] = [];
    const blob = await compressEntries(this.#readOldest(rowId, size, ids));
    this.#prepared.delete(rowId);
    this.#prepared.set(rowId, { ids, blob: ids.length === 0 ? Buffer.alloc(0) : blob });
    for (const oldest of this.#prepared.keys()) if (this.#prepared.size > keptChunks) this.#prepared.delete(oldest);
  }

  /** Another process may remove some while others are read: `ids` says which were. */
  *#readOldest(rowId: string, size: number, ids: number[]): Generator<HistoryEntry> {
    for (const entry of readRaw(this.#rows, rowId, this.#rows.oldestRefs(rowId, size))) {
      ids.push(entry.id);
      yield entry;
    }
  }
}

/** How many of `raw` entries are to be archived now: 0 until they are more than keep + chunk (storage.md §10.1). */
export function rollSize(raw: number, { keepRecent, chunkMin }: ArchiveLimits): number {
  return raw > keepRecent + chunkMin ? Math.min(raw - keepRecent, chunkMin + 1) : 0;
}

function archive(rows: HistoryRows, rowId: string, oldest: readonly EntryRef[], ready: PreparedChunk | null): void {
  const rest = [...readRaw(rows, rowId, oldest.slice(ready?.ids.length ?? 0))];
  const frames = [
    ...(ready === null ? [] : [ready.blob]),
    ...(rest.length === 0 ? [] : [storedFrame(encodeLines(rest))]),
  ];
  rows.insertChunk(rowId, oldest, Buffer.concat(frames));
  rows.removeRawUpTo(rowId, oldest.at(-1)?.version ?? 0);
}

function* readRaw(rows: HistoryRows, rowId: string, refs: readonly EntryRef[]): Generator<HistoryEntry> {
  for (const { version } of refs) {
    const entry = rows.rawVersion(rowId, version);
    if (entry !== null) yield entry;
  }
}

function startsWith(entries: readonly EntryRef[], ids: readonly number[]): boolean {
  return ids.length <= entries.length && ids.every((id, index) => entries[index]?.id === id);
}

/** The history entry that a change makes; null for one that leaves none. */
export function historyEntryOf({ event, before, after, recorded }: RowChange): Omit<HistoryEntry, 'id'> | null {
  const row = after ?? before;
  if (!recorded || row === null) return null;
  return {
    rowId: row.id,
    version: event.rowVersion ?? 0,
    recordedAt: Math.floor(event.at / 1000),
    op: before === null ? 'create' : after === null ? 'delete' : 'update',
    data: row.data,
  };
}
