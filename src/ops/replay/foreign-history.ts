/**
 * History entries that another program wrote into a file that has a log, together with its changes of `rows`. Their versions
 * are the gap before the `row.reconciled` event that recorded what the changes came to, so no event vouches for them: they
 * are accepted as they are, and a rebuild carries them over.
 */
import type { Connection } from '../../events/database.js';
import type { RecordedEvent } from '../../events/types.js';
import { decodeChunk } from '../../projections/row-history/chunk.js';
import type { HistoryEntry } from '../../projections/row-history/queries.js';
import { hasEarlierHistory } from './earlier-history.js';

/** Versions of a row that no event made; both ends belong to it. */
interface Gap {
  readonly row_id: string;
  readonly first: number;
  readonly last: number;
}

export interface ForeignEntry extends HistoryEntry {
  readonly tableName: string;
}

interface ChunkRow {
  id: number;
  table_name: string;
  row_id: string;
  blob: Buffer;
}

interface RawRow {
  table_name: string;
  version: number;
  recorded_at: number;
  op: HistoryEntry['op'];
  data_json: HistoryEntry['data'];
  prev_data_json: HistoryEntry['data'];
}

/** The gaps of a log, for one look at each entry. */
export class ForeignVersions {
  readonly #gaps = new Map<string, Gap[]>();

  constructor(connection: Connection) {
    for (const gap of gapsOf(connection)) this.#gaps.set(gap.row_id, [...(this.#gaps.get(gap.row_id) ?? []), gap]);
  }

  has(rowId: string, version: number): boolean {
    return this.#gaps.get(rowId)?.some(({ first, last }) => first <= version && version <= last) ?? false;
  }
}

export class ForeignHistory {
  readonly #raw;
  readonly #before;
  readonly #event;
  readonly #chunks;
  readonly #isAdopted: boolean;

  private constructor(
    connection: Connection,
    /** The entries of the archive's chunks, by the chunk's id. */
    private readonly archived: ReadonlyMap<number, readonly ForeignEntry[]>,
  ) {
    this.#isAdopted = hasEarlierHistory(connection);
    this.#before = connection.prepare<[string, number], RowEvent>(
      `SELECT ${eventColumns} FROM _events WHERE row_id = ? AND row_version < ? ORDER BY row_version DESC LIMIT 1`,
    );
    this.#event = connection.prepare<[number], RowEvent>(`SELECT ${eventColumns} FROM _events WHERE seq = ?`);
    this.#chunks = connection.prepare<[Gap], number>(`SELECT id FROM _row_history_archive ${overlapping}`).pluck();
    this.#raw = connection.prepare<
      [Gap],
      RawRow
    >(`SELECT table_name, version, recorded_at, op, data_json, prev_data_json
      FROM _row_history WHERE row_id = :row_id AND version BETWEEN :first AND :last ORDER BY version`);
  }

  /** Decodes the chunks that hold such entries. @throws StoreError STORAGE_ERROR for a damaged one. */
  static async read(connection: Connection): Promise<ForeignHistory> {
    const archived = new Map<number, ForeignEntry[]>();
    const chunks = connection.prepare<[Gap], ChunkRow>(
      `SELECT id, table_name, row_id, blob FROM _row_history_archive ${overlapping}`,
    );
    for (const gap of gapsOf(connection)) {
      for (const { id, table_name: tableName, row_id, blob } of chunks.all(gap)) {
        if (archived.has(id)) continue;
        archived.set(
          id,
          (await decodeChunk(row_id, blob)).map((entry) => ({ ...entry, tableName })),
        );
      }
    }
    return new ForeignHistory(connection, archived);
  }

  /** The entries in the gap before an event; null when some were archived after {@link read}. */
  before(event: RecordedEvent): ForeignEntry[] | null {
    const gap = this.#gapBefore(event);
    if (gap === null) return [];
    const chunks = this.#chunks.all(gap).map((id) => this.archived.get(id));
    if (chunks.includes(undefined)) return null;
    const archived = chunks.flatMap((entries) => entries ?? []);
    const isInside = ({ version }: HistoryEntry) => gap.first <= version && version <= gap.last;
    return [...archived.filter(isInside), ...this.#raw.all(gap).map((row) => entryOf(gap.row_id, row))];
  }

  #gapBefore({ seq, type, rowId, rowVersion }: RecordedEvent): Gap | null {
    const event = type === 'row.reconciled' ? this.#event.get(seq) : undefined;
    if (event === undefined || rowId === null || rowVersion === null) return null;
    return gapBefore(event, this.#before.get(rowId, rowVersion) ?? null, this.#isAdopted);
  }
}

/** Puts entries into the raw history of a file or of a rebuild. */
export function insertForeign(connection: Connection, table: string, entries: readonly ForeignEntry[]): void {
  if (entries.length === 0) return;
  const insert = connection.prepare(`INSERT OR IGNORE INTO ${table} (table_name, row_id, version, recorded_at, op,
    data_json, prev_data_json) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  for (const { tableName, rowId, version, recordedAt, op, data, previous } of entries) {
    insert.run(tableName, rowId, version, recordedAt, op, data, previous ?? null);
  }
}

const overlapping =
  'WHERE row_id = :row_id AND version_end >= :first AND version_start <= :last ORDER BY version_start';

interface RowEvent {
  row_id: string;
  row_version: number;
  type: string;
  op: string | null;
}

const eventColumns = `row_id, row_version, type, iif(type = 'row.reconciled', body ->> '$.op', NULL) AS op`;

function gapsOf(connection: Connection): Gap[] {
  const isAdopted = hasEarlierHistory(connection);
  const sql = `SELECT ${eventColumns} FROM _events WHERE row_id IN
    (SELECT row_id FROM _events WHERE type = 'row.reconciled') ORDER BY row_id, row_version`;
  const gaps: Gap[] = [];
  let before: RowEvent | null = null;
  for (const event of connection.prepare<[], RowEvent>(sql).iterate()) {
    const gap = gapBefore(event, before?.row_id === event.row_id ? before : null, isAdopted);
    if (gap !== null) gaps.push(gap);
    before = event;
  }
  return gaps;
}

function gapBefore(event: RowEvent, before: RowEvent | null, isAdopted: boolean): Gap | null {
  if (event.type !== 'row.reconciled') return null;
  // What lies before the first event of a row is earlier history where there is any.
  const first = before !== null ? before.row_version + 1 : isAdopted ? event.row_version : 1;
  // An event of a row that came and went takes the version of the newest entry, and leaves none of its own.
  const cameAndWent = isDeletion(event) && (before === null || isDeletion(before));
  const last = event.row_version - (cameAndWent ? 0 : 1);
  return first > last ? null : { row_id: event.row_id, first, last };
}

function isDeletion({ type, op }: RowEvent): boolean {
  return type === 'row.deleted' || op === 'delete';
}

function entryOf(rowId: string, row: RawRow): ForeignEntry {
  return {
    id: 0,
    tableName: row.table_name,
    rowId,
    version: row.version,
    recordedAt: row.recorded_at,
    op: row.op,
    data: row.data_json,
    ...(row.prev_data_json === null ? {} : { previous: row.prev_data_json }),
  };
}
