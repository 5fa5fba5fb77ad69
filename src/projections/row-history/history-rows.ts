/** The statements on the two tiers of the row history, prepared once per connection. */
import type { Connection } from '../../events/database.js';
import type { JsonText } from '../../schema/json.js';
import type { HistoryEntry } from './queries.js';

export interface HistoryTables {
  readonly raw: string;
  readonly archive: string;
}

export const liveTables: HistoryTables = { raw: '_row_history', archive: '_row_history_archive' };

export interface ArchiveChunk {
  readonly id: number;
  readonly versionStart: number;
  readonly versionEnd: number;
  readonly recordedStart: number;
  readonly recordedEnd: number;
  readonly entryCount: number;
  readonly blob: Buffer;
}

interface RawRow {
  id: number;
  row_id: string;
  version: number;
  recorded_at: number;
  op: HistoryEntry['op'];
  data_json: JsonText | null;
  prev_data_json: JsonText | null;
}

/** An entry without its data. */
export type EntryRef = Pick<HistoryEntry, 'id' | 'version' | 'recordedAt'>;

interface ChunkRow {
  id: number;
  version_start: number;
  version_end: number;
  recorded_start: number;
  recorded_end: number;
  entry_count: number;
  blob: Buffer;
}

const rawColumns = 'id, row_id, version, recorded_at, op, data_json, prev_data_json';
const chunkColumns = 'id, version_start, version_end, recorded_start, recorded_end, entry_count, blob';

export class HistoryRows {
  readonly #insert;
  readonly #count;
  readonly #oldest;
  readonly #oldestRefs;
  readonly #all;
  readonly #atOrBefore;
  readonly #one;
  readonly #removeUpTo;
  readonly #lastVersion;
  readonly #insertChunk;
  readonly #chunks;
  readonly #chunkAt;
  readonly #chunkOf;
  readonly #removeChunk;
  readonly #ids;

  /** @param tableName the schema's `table:` value, which both tables carry in every row. */
  constructor(
    connection: Connection,
    private readonly tableName: string,
    { raw, archive }: HistoryTables = liveTables,
  ) {
    const ofRow = 'WHERE table_name = ? AND row_id = ?';
    this.#insert = connection.prepare(
      `INSERT INTO ${raw} (table_name, row_id, version, recorded_at, op, data_json) VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#count = connection.prepare<[string, string], number>(`SELECT count(*) FROM ${raw} ${ofRow}`).pluck();
    this.#oldest = connection.prepare<[string, string, number], RawRow>(
      `SELECT ${rawColumns} FROM ${raw} ${ofRow} ORDER BY version LIMIT ?`,
    );
    this.#oldestRefs = connection.prepare<[string, string, number], EntryRef>(
      `SELECT id, version, recorded_at AS recordedAt FROM ${raw} ${ofRow} ORDER BY version LIMIT ?`,
    );
    this.#all = connection.prepare<[string, string], RawRow>(
      `SELECT ${rawColumns} FROM ${raw} ${ofRow} ORDER BY version`,
    );
    this.#atOrBefore = connection.prepare<[string, string, number], RawRow>(
      `SELECT ${rawColumns} FROM ${raw} ${ofRow} AND recorded_at <= ? ORDER BY recorded_at DESC, version DESC LIMIT 1`,
    );
    this.#one = connection.prepare<[string, string, number], RawRow>(
      `SELECT ${rawColumns} FROM ${raw} ${ofRow} AND version = ?`,
    );
    this.#removeUpTo = connection.prepare(`DELETE FROM ${raw} ${ofRow} AND version <= ?`);
    this.#lastVersion = connection
      .prepare<[string, string, string, string], number>(
        `SELECT max(coalesce((SELECT max(version) FROM ${raw} ${ofRow}), 0),
                    coalesce((SELECT max(version_end) FROM ${archive} ${ofRow}), 0))`,
      )
      .pluck();
    this.#insertChunk = connection.prepare(
      `INSERT INTO ${archive} (table_name, row_id, version_start, version_end, recorded_start, recorded_end, entry_count,
         format, blob) VALUES (?, ?, ?, ?, ?, ?, ?, 'jsonl-zstd', ?)`,
    );
    this.#chunks = connection.prepare<[string, string], ChunkRow>(
      `SELECT ${chunkColumns} FROM ${archive} ${ofRow} ORDER BY version_start`,
    );
    this.#chunkAt = connection.prepare<[string, string, number], ChunkRow>(
      `SELECT ${chunkColumns} FROM ${archive} ${ofRow} AND recorded_start <= ?
       ORDER BY recorded_start DESC, version_end DESC LIMIT 1`,
    );
    this.#chunkOf = connection.prepare<[string, string, number, number], ChunkRow>(
      `SELECT ${chunkColumns} FROM ${archive} ${ofRow} AND version_start <= ? AND version_end >= ? LIMIT 1`,
    );
    this.#removeChunk = connection.prepare(`DELETE FROM ${archive} WHERE id = ?`);
    this.#ids = connection
      .prepare<[string, string, string, string], string>(
        `SELECT row_id FROM ${raw} WHERE table_name = ? AND row_id LIKE ? ESCAPE '\\'
         UNION SELECT row_id FROM ${archive} WHERE table_name = ? AND row_id LIKE ? ESCAPE '\\' ORDER BY row_id`,
      )
      .pluck();
  }

  insert(entry: Omit<HistoryEntry, 'id'>): void {
    this.#insert.run(this.tableName, entry.rowId, entry.version, entry.recordedAt, entry.op, entry.data);
  }

  countRaw(rowId: string): number {
    return this.#count.get(this.tableName, rowId) ?? 0;
  }

  oldestRaw(rowId: string, limit: number): HistoryEntry[] {
    return this.#oldest.all(this.tableName, rowId, limit).map(entryOf);
  }

  /** As {@link oldestRaw}, without reading what may be many megabytes. */
  oldestRefs(rowId: string, limit: number): EntryRef[] {
    return this.#oldestRefs.all(this.tableName, rowId, limit);
  }

  allRaw(rowId: string): HistoryEntry[] {
    return this.#all.all(this.tableName, rowId).map(entryOf);
  }

  rawAtOrBefore(rowId: string, unixSeconds: number): HistoryEntry | null {
    return entryOrNull(this.#atOrBefore.get(this.tableName, rowId, unixSeconds));
  }

  rawVersion(rowId: string, version: number): HistoryEntry | null {
    return entryOrNull(this.#one.get(this.tableName, rowId, version));
  }

  removeRawUpTo(rowId: string, version: number): void {
    this.#removeUpTo.run(this.tableName, rowId, version);
  }

  /** The highest version in either tier; 0 when there is none. */
  lastVersion(rowId: string): number {
    return this.#lastVersion.get(this.tableName, rowId, this.tableName, rowId) ?? 0;
  }

  /** Archives entries that are consecutive and ascending under the blob that holds them. */
  insertChunk(rowId: string, entries: readonly Omit<EntryRef, 'id'>[], blob: Buffer): void {
    const first = entries[0];
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return;
    const range = [first.version, last.version, first.recordedAt, last.recordedAt];
    this.#insertChunk.run(this.tableName, rowId, ...range, entries.length, blob);
  }

  chunks(rowId: string): ArchiveChunk[] {
    return this.#chunks.all(this.tableName, rowId).map(chunkOf);
  }

  chunkAtOrBefore(rowId: string, unixSeconds: number): ArchiveChunk | null {
    return chunkOrNull(this.#chunkAt.get(this.tableName, rowId, unixSeconds));
  }

  chunkWith(rowId: string, version: number): ArchiveChunk | null {
    return chunkOrNull(this.#chunkOf.get(this.tableName, rowId, version, version));
  }

  removeChunk(id: number): void {
    this.#removeChunk.run(id);
  }

  idsWithPrefix(prefix: string): string[] {
    const pattern = `${prefix.replace(/[\\%_]/g, '\\$&')}%`;
    return this.#ids.all(this.tableName, pattern, this.tableName, pattern);
  }
}

function entryOf(row: RawRow): HistoryEntry {
  return {
    id: row.id,
    rowId: row.row_id,
    version: row.version,
    recordedAt: row.recorded_at,
    op: row.op,
    data: row.data_json,
    ...(row.prev_data_json === null ? {} : { previous: row.prev_data_json }),
  };
}

function entryOrNull(row: RawRow | undefined): HistoryEntry | null {
  return row === undefined ? null : entryOf(row);
}

function chunkOf(row: ChunkRow): ArchiveChunk {
  return {
    id: row.id,
    versionStart: row.version_start,
    versionEnd: row.version_end,
    recordedStart: row.recorded_start,
    recordedEnd: row.recorded_end,
    entryCount: row.entry_count,
    blob: row.blob,
  };
}

function chunkOrNull(row: ChunkRow | undefined): ArchiveChunk | null {
  return row === undefined ? null : chunkOf(row);
}
