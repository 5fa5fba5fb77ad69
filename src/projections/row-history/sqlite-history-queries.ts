/** Reading the row history of a table database: raw entries first, then the archive (storage.md §10.2). */
import { decodeChunk } from './chunk.js';
import type { HistoryRows } from './history-rows.js';
import type { HistoryEntry, HistoryQueries } from './queries.js';

export class SqliteHistoryQueries implements HistoryQueries {
  constructor(private readonly rows: HistoryRows) {}

  async at(rowId: string, unixSeconds: number): Promise<HistoryEntry | null> {
    const raw = this.rows.rawAtOrBefore(rowId, unixSeconds);
    if (raw !== null) return raw;
    const chunk = this.rows.chunkAtOrBefore(rowId, unixSeconds);
    if (chunk === null) return null;
    const entries = await decodeChunk(rowId, chunk.blob);
    return entries.filter((entry) => entry.recordedAt <= unixSeconds).reduce(later, null);
  }

  async version(rowId: string, version: number): Promise<HistoryEntry | null> {
    const raw = this.rows.rawVersion(rowId, version);
    if (raw !== null) return raw;
    const chunk = this.rows.chunkWith(rowId, version);
    if (chunk === null) return null;
    const entries = await decodeChunk(rowId, chunk.blob);
    return entries.find((entry) => entry.version === version) ?? null;
  }

  async list(rowId: string): Promise<HistoryEntry[]> {
    const archived: HistoryEntry[] = [];
    for (const chunk of this.rows.chunks(rowId)) archived.push(...(await decodeChunk(rowId, chunk.blob)));
    return [...archived, ...this.rows.allRaw(rowId)];
  }

  idsWithPrefix(prefix: string): string[] {
    return this.rows.idsWithPrefix(prefix);
  }
}

function later(best: HistoryEntry | null, entry: HistoryEntry): HistoryEntry {
  if (best === null || entry.recordedAt > best.recordedAt) return entry;
  return entry.recordedAt === best.recordedAt && entry.version > best.version ? entry : best;
}
