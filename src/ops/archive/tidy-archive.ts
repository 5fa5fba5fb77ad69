/**
 * Keeps the history of large rows small. The roll counts entries (storage.md §10.1), so a row of 178 KB keeps up to 64 of
 * them uncompressed and starts a chunk every 49. Here what exceeds a number of bytes is archived, and neighbouring chunks
 * of such rows become one, because most of a chunk is its first entry.
 */
import { setImmediate } from 'node:timers/promises';
import type { Connection } from '../../events/database.js';
import { decodeChunk } from '../../projections/row-history/chunk.js';
import { type ArchiveChunk, HistoryRows } from '../../projections/row-history/history-rows.js';
import type { HistoryEntry } from '../../projections/row-history/queries.js';
import { inTransaction } from '../rebuild/shadow-load.js';
import { type EncodedChunk, encodeChunk, replaceChunks } from './chunks.js';

export interface TidyOptions {
  /** Rows whose raw entries hold more bytes than this are tidied. */
  readonly thresholdBytes?: number;
  /** Unix milliseconds after which no further row is begun. */
  readonly deadline?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Tidied {
  readonly rows: number;
  readonly entries: number;
  readonly chunks_before: number;
  readonly chunks_after: number;
}

export const defaultThreshold = 512 * 1024;
/** Raw entries that stay: a look at the newest states needs no decompression. */
const kept = 2;
/** Uncompressed bytes of a merged chunk at most: what one lookup has to decompress. */
const largestChunk = 32 * 1024 * 1024;

/** Tidies every row above the threshold. Others may read and write meanwhile; a row that they change is left for next time. */
export async function tidyArchive(
  connection: Connection,
  tableName: string,
  options: TidyOptions = {},
): Promise<Tidied> {
  const rows = new HistoryRows(connection, tableName);
  const total = { rows: 0, entries: 0, chunks_before: 0, chunks_after: 0 };
  for (const rowId of largeRows(connection, tableName, options.thresholdBytes ?? defaultThreshold)) {
    options.signal?.throwIfAborted();
    if (Date.now() > (options.deadline ?? Number.POSITIVE_INFINITY)) break;
    const done = await tidyRow(connection, rows, tableName, rowId);
    if (done !== null) {
      total.rows++;
      total.entries += done.entries;
      total.chunks_before += done.before;
      total.chunks_after += done.after;
    }
    await setImmediate();
  }
  return total;
}

function largeRows(connection: Connection, tableName: string, bytes: number): string[] {
  const sql = `SELECT row_id FROM _row_history WHERE table_name = ? GROUP BY row_id
    HAVING count(*) > ${kept} AND sum(octet_length(data_json)) > ?`;
  return connection.prepare<[string, number], string>(sql).pluck().all(tableName, bytes);
}

/** Neighbouring entries that belong into one chunk, and the chunks they come from. */
interface Group {
  readonly chunks: ArchiveChunk[];
  readonly entries: HistoryEntry[];
  bytes: number;
}

async function tidyRow(connection: Connection, rows: HistoryRows, tableName: string, rowId: string) {
  const chunks = rows.chunks(rowId);
  const raw = rows.allRaw(rowId).slice(0, -kept);
  const groups = await groupsOf(rowId, chunks, raw);
  const changed = groups.filter((group) => group.chunks.length !== 1 || holdsRaw(group, raw));
  const encoded: { group: Group; chunk: EncodedChunk }[] = [];
  for (const group of changed) encoded.push({ group, chunk: await encodeChunk(group.entries) });
  return inTransaction(connection, () => {
    if (!isUnchanged(rows, rowId, chunks, raw)) return null;
    for (const { group, chunk } of encoded) {
      replaceChunks(connection, { ids: group.chunks.map((old) => old.id), rowId, tableName, chunk });
    }
    rows.removeRawUpTo(rowId, raw.at(-1)?.version ?? 0);
    return { entries: raw.length, before: chunks.length, after: groups.length };
  });
}

async function groupsOf(
  rowId: string,
  chunks: readonly ArchiveChunk[],
  raw: readonly HistoryEntry[],
): Promise<Group[]> {
  const groups: Group[] = [];
  const add = (chunk: ArchiveChunk | null, entries: readonly HistoryEntry[]) => {
    const bytes = entries.reduce(
      (sum, entry) => sum + (entry.data?.length ?? 0) + (entry.previous?.length ?? 0) + 64,
      0,
    );
    const last = groups.at(-1);
    const target = last !== undefined && last.bytes + bytes <= largestChunk ? last : newGroup(groups);
    if (chunk !== null) target.chunks.push(chunk);
    target.entries.push(...entries);
    target.bytes += bytes;
  };
  for (const chunk of chunks) add(chunk, await decodeChunk(rowId, chunk.blob));
  for (const entry of raw) add(null, [entry]);
  return groups;
}

function newGroup(groups: Group[]): Group {
  const group: Group = { chunks: [], entries: [], bytes: 0 };
  groups.push(group);
  return group;
}

function holdsRaw(group: Group, raw: readonly HistoryEntry[]): boolean {
  const last = raw.at(-1);
  return last !== undefined && group.entries.some((entry) => entry.id > 0 && entry.version <= last.version);
}

function isUnchanged(
  rows: HistoryRows,
  rowId: string,
  chunks: readonly ArchiveChunk[],
  raw: readonly HistoryEntry[],
): boolean {
  const now = rows.chunks(rowId);
  const oldest = rows.oldestRefs(rowId, raw.length);
  return (
    now.length === chunks.length &&
    now.every((chunk, index) => chunk.id === chunks[index]?.id) &&
    oldest.length === raw.length &&
    oldest.every((entry, index) => entry.id === raw[index]?.id)
  );
}
