/** Which history entries a purge removes, and the archive chunks as they are without them. */
import { setImmediate } from 'node:timers/promises';
import type { Connection } from '../../events/database.js';
import { decodeChunk } from '../../projections/row-history/chunk.js';
import type { HistoryEntry } from '../../projections/row-history/queries.js';
import type { PurgedRange } from '../replay/purged-ranges.js';
import { encodeChunk, type ReplacedChunk, replaceChunks } from './chunks.js';

export interface PurgeLimits {
  /** Entries recorded before this go (Unix seconds); null: none for their age. */
  readonly before: number | null;
  readonly maxPerRow: number;
  readonly archive: boolean;
}

export interface PurgePlan {
  readonly ranges: readonly PurgedRange[];
  readonly entries: number;
  readonly archivedEntries: number;
  /** Puts the rewritten chunks in place, inside the open transaction. @throws Outdated when the archive has changed. */
  rewriteArchive(): void;
}

/** The archive is not the one that was planned for. */
export class Outdated extends Error {}

interface Entry {
  readonly rowId: string;
  readonly tableName: string;
  readonly version: number;
  readonly recordedAt: number;
  readonly archived: boolean;
}

/** @throws StoreError STORAGE_ERROR on a damaged chunk. */
export async function planPurge(
  connection: Connection,
  limits: PurgeLimits,
  signal: AbortSignal | undefined,
): Promise<PurgePlan> {
  const mark = markOf(connection);
  const archived = limits.archive ? await archivedEntries(connection, signal) : [];
  const removed = toRemove([...archived, ...rawEntries(connection)], limits);
  const rewritten = limits.archive ? await rewriteChunks(connection, removed) : [];
  return {
    ranges: rangesOf(removed),
    entries: removed.length,
    archivedEntries: removed.filter((entry) => entry.archived).length,
    rewriteArchive: () => {
      if (markOf(connection) !== mark) throw new Outdated();
      for (const chunk of rewritten) replaceChunks(connection, chunk);
    },
  };
}

/** Changes whenever an entry moves to the archive or a chunk is rewritten. */
function markOf(connection: Connection): string {
  const sql = 'SELECT count(*), coalesce(max(id), 0) FROM _row_history_archive';
  return String(connection.prepare<[], number[]>(sql).raw().get());
}

interface RawRow {
  row_id: string;
  table_name: string;
  version: number;
  recorded_at: number;
}

function rawEntries(connection: Connection): Entry[] {
  const sql = 'SELECT row_id, table_name, version, recorded_at FROM _row_history';
  const rows = connection.prepare<[], RawRow>(sql).all();
  return rows.map(({ row_id: rowId, table_name: tableName, version, recorded_at: recordedAt }) => {
    return { rowId, tableName, version, recordedAt, archived: false };
  });
}

async function archivedEntries(connection: Connection, signal: AbortSignal | undefined): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { row_id: rowId, table_name: tableName, entries: lines } of chunks(connection)) {
    signal?.throwIfAborted();
    for (const { version, recordedAt } of lines)
      entries.push({ rowId, tableName, version, recordedAt, archived: true });
  }
  return entries;
}

interface ChunkRow {
  id: number;
  row_id: string;
  table_name: string;
  blob: Buffer;
}

async function* chunks(connection: Connection): AsyncGenerator<ChunkRow & { entries: HistoryEntry[] }> {
  const sql = 'SELECT id, row_id, table_name, blob FROM _row_history_archive WHERE id > ? ORDER BY id LIMIT 1';
  const next = connection.prepare<[number], ChunkRow>(sql);
  for (let chunk = next.get(0); chunk !== undefined; chunk = next.get(chunk.id)) {
    yield { ...chunk, entries: await decodeChunk(chunk.row_id, chunk.blob) };
    await setImmediate();
  }
}

/** First by age; then, of what is left, all but the newest so many of each row. */
function toRemove(entries: readonly Entry[], { before, maxPerRow }: PurgeLimits): Entry[] {
  const ordered = [...entries].sort(byRowAndVersion);
  const old = ordered.filter((entry) => before !== null && entry.recordedAt < before);
  if (maxPerRow === 0) return old;
  const left = ordered.filter((entry) => before === null || entry.recordedAt >= before);
  const counts = new Map<string, number>();
  const surplus = left.reverse().filter((entry) => {
    const key = `${entry.tableName}\0${entry.rowId}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count > maxPerRow;
  });
  return [...old, ...surplus].sort(byRowAndVersion);
}

function byRowAndVersion(a: Entry, b: Entry): number {
  if (a.rowId !== b.rowId) return a.rowId < b.rowId ? -1 : 1;
  return a.version - b.version;
}

function rangesOf(removed: readonly Entry[]): PurgedRange[] {
  const ranges: [string, number, number][] = [];
  for (const { rowId, version } of removed) {
    const last = ranges.at(-1);
    if (last?.[0] === rowId && version <= last[2] + 1) last[2] = version;
    else ranges.push([rowId, version, version]);
  }
  return ranges;
}

async function rewriteChunks(connection: Connection, removed: readonly Entry[]): Promise<ReplacedChunk[]> {
  const gone = new Set(removed.filter((entry) => entry.archived).map((entry) => `${entry.rowId}\0${entry.version}`));
  const rewritten: ReplacedChunk[] = [];
  if (gone.size === 0) return rewritten;
  for await (const { id, row_id: rowId, table_name: tableName, entries } of chunks(connection)) {
    const kept = entries.filter((entry) => !gone.has(`${rowId}\0${entry.version}`));
    if (kept.length === entries.length) continue;
    rewritten.push({ ids: [id], rowId, tableName, chunk: kept.length === 0 ? null : await encodeChunk(kept) });
  }
  return rewritten;
}
