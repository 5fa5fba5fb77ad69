/**
 * Whether two histories say the same, whatever lies in which tier and however it is cut into chunks. Identical rows are
 * matched by SQL alone; only what lies differently is compared by digest, and only such chunks are decoded, beforehand.
 */
import { hash } from 'node:crypto';
import type { Connection } from '../../events/database.js';
import { decodeChunk } from '../../projections/row-history/chunk.js';
import type { HistoryTables } from '../../projections/row-history/history-rows.js';
import type { HistoryEntry } from '../../projections/row-history/queries.js';

export interface HistoryDifferences {
  readonly count: number;
  /** At most `most` ids, ascending. */
  readonly rows: readonly string[];
}

interface ChunkRow {
  id: number;
  row_id: string;
  blob: Buffer;
}

type Side = 'live' | 'shadow';

/** Two chunks are the same when these are. */
const chunkColumns = ['row_id', 'version_start', 'version_end', 'entry_count', 'blob'] as const;
const entryColumns = 'row_id, version, recorded_at, op, digest';

export class HistoryComparison {
  readonly #sides: Readonly<Record<Side, HistoryTables>>;

  constructor(
    private readonly connection: Connection,
    live: HistoryTables,
    shadow: HistoryTables,
  ) {
    this.#sides = { live, shadow };
    connection.function('sha256', { deterministic: true }, (text: unknown) => digestOf(text));
    connection.exec(`DROP TABLE IF EXISTS temp.decoded; DROP TABLE IF EXISTS temp.decoded_entries;
      CREATE TABLE temp.decoded (side TEXT, chunk_id INTEGER, PRIMARY KEY (side, chunk_id)) WITHOUT ROWID;
      CREATE TABLE temp.decoded_entries (side TEXT, chunk_id INTEGER, row_id TEXT, version INTEGER, recorded_at INTEGER,
        op TEXT, digest BLOB)`);
  }

  /** Decodes what {@link differences} will need. `turn` is called between chunks. */
  async prepare(turn: () => void): Promise<void> {
    for (const side of ['live', 'shadow'] as const) {
      for (const id of this.#undecoded(side)) {
        await this.#decode(side, id);
        turn();
      }
    }
  }

  /** Whether {@link prepare} is up to date, which others may change until the lock is held. */
  isPrepared(): boolean {
    return this.#undecoded('live').length === 0 && this.#undecoded('shadow').length === 0;
  }

  differences(most: number): HistoryDifferences {
    if (this.#areSame()) return { count: 0, rows: [] };
    const [live, shadow] = [this.#unmatched('live'), this.#unmatched('shadow')];
    const sql = `WITH live AS (${live}), shadow AS (${shadow}),
      differing AS (SELECT row_id, version FROM (SELECT * FROM live EXCEPT SELECT * FROM shadow)
        UNION SELECT row_id, version FROM (SELECT * FROM shadow EXCEPT SELECT * FROM live))
      SELECT row_id, count(*) AS n FROM differing GROUP BY row_id ORDER BY row_id`;
    const rows = this.connection.prepare<[], { row_id: string; n: number }>(sql).all();
    return { count: rows.reduce((sum, row) => sum + row.n, 0), rows: rows.slice(0, most).map((row) => row.row_id) };
  }

  /** Everything of the live side lies in the shadow as it is, and there is no more of it there: versions are unique. */
  #areSame(): boolean {
    const tables = (['raw', 'archive'] as const).map((tier) => this.#both('live', tier));
    const counts = tables.map(([here, there]) => `(SELECT count(*) FROM ${here}) = (SELECT count(*) FROM ${there})`);
    const sql = `SELECT ${counts.join(' AND ')} AND NOT EXISTS (SELECT 1 FROM (${this.#unmatchedRaw('live')}))
      AND NOT EXISTS (${this.#unmatchedChunks('live')}) AND NOT EXISTS (${this.#unmatchedChunks('shadow')})`;
    return this.connection.prepare<[], number>(sql).pluck().get() === 1;
  }

  #undecoded(side: Side): number[] {
    const sql = `SELECT id FROM (${this.#unmatchedChunks(side)}) WHERE id NOT IN
      (SELECT chunk_id FROM temp.decoded WHERE side = '${side}') ORDER BY id`;
    return this.connection.prepare<[], number>(sql).pluck().all();
  }

  async #decode(side: Side, id: number): Promise<void> {
    const { archive } = this.#sides[side];
    const sql = `SELECT id, row_id, blob FROM ${archive} WHERE id = ?`;
    const chunk = this.connection.prepare<[number], ChunkRow>(sql).get(id);
    if (chunk === undefined) return;
    const entries = await decodeChunk(chunk.row_id, chunk.blob).catch((): HistoryEntry[] => []);
    const insert = this.connection.prepare('INSERT INTO temp.decoded_entries VALUES (?, ?, ?, ?, ?, ?, ?)');
    for (const { rowId, version, recordedAt, op, data } of entries) {
      insert.run(side, id, rowId, version, recordedAt, op, digestOf(data));
    }
    this.connection.prepare('INSERT INTO temp.decoded VALUES (?, ?)').run(side, id);
  }

  #unmatchedChunks(side: Side): string {
    const [here, there] = this.#both(side, 'archive');
    const same = chunkColumns.map((column) => `t.${column} IS h.${column}`).join(' AND ');
    return `SELECT id FROM ${here} h WHERE NOT EXISTS
      (SELECT 1 FROM ${there} t WHERE t.table_name = h.table_name AND ${same})`;
  }

  #unmatchedRaw(side: Side): string {
    const [here, there] = this.#both(side, 'raw');
    return `SELECT * FROM ${here} h WHERE NOT EXISTS
      (SELECT 1 FROM ${there} t WHERE t.table_name = h.table_name AND t.row_id = h.row_id AND t.version = h.version
       AND t.recorded_at IS h.recorded_at AND t.op IS h.op AND t.data_json IS h.data_json)`;
  }

  /** Every entry of one side that the other does not have at the same place. */
  #unmatched(side: Side): string {
    return `SELECT row_id, version, recorded_at, op, sha256(data_json) AS digest FROM (${this.#unmatchedRaw(side)})
      UNION ALL SELECT ${entryColumns} FROM temp.decoded_entries WHERE side = '${side}' AND chunk_id IN
        (${this.#unmatchedChunks(side)})`;
  }

  #both(side: Side, tier: keyof HistoryTables): [here: string, there: string] {
    const { live, shadow } = this.#sides;
    return side === 'live' ? [live[tier], shadow[tier]] : [shadow[tier], live[tier]];
  }
}

function digestOf(text: unknown): Buffer {
  return hash('sha256', String(text), 'buffer');
}
