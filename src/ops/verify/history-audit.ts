/**
 * The row history against its replay. What an entry should be is kept as a digest, in a temporary table; each entry found
 * takes its own away, so that what is left at the end is missing, and what finds none is not from the log.
 */
import { hash } from 'node:crypto';
import type { Connection } from '../../events/database.js';
import type { RowChange } from '../../events/evolve.js';
import type { RecordedEvent } from '../../events/types.js';
import { decodeChunk } from '../../projections/row-history/chunk.js';
import { historyEntryOf } from '../../projections/row-history/project.js';
import type { HistoryEntry } from '../../projections/row-history/queries.js';
import { EarlierHistory } from '../replay/earlier-history.js';
import { ForeignVersions } from '../replay/foreign-history.js';
import type { Checks } from './checks.js';

type Entry = Omit<HistoryEntry, 'id' | 'previous'>;

interface Expected {
  recorded_at: number;
  op: string;
  digest: Buffer;
}

interface RawRow {
  id: number;
  row_id: string;
  version: number;
  recorded_at: number;
  op: HistoryEntry['op'];
  data_json: HistoryEntry['data'];
}

interface ChunkRow {
  id: number;
  row_id: string;
  version_start: number;
  version_end: number;
  recorded_start: number;
  recorded_end: number;
  entry_count: number;
  blob: Buffer;
}

export class HistoryAudit {
  readonly #insert;
  readonly #take;
  readonly #purge;
  readonly #earlier: EarlierHistory;
  readonly #foreign: ForeignVersions;

  constructor(
    private readonly connection: Connection,
    private readonly checks: Checks,
  ) {
    connection.exec(`CREATE TABLE temp.expected_history (row_id TEXT NOT NULL, version INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL, op TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (row_id, version)) WITHOUT ROWID`);
    this.#insert = connection.prepare('INSERT OR REPLACE INTO temp.expected_history VALUES (?, ?, ?, ?, ?)');
    this.#take = connection.prepare<[string, number], Expected>(
      'DELETE FROM temp.expected_history WHERE row_id = ? AND version = ? RETURNING recorded_at, op, digest',
    );
    this.#purge = connection.prepare('DELETE FROM temp.expected_history WHERE row_id = ? AND version BETWEEN ? AND ?');
    this.#earlier = new EarlierHistory(connection);
    this.#foreign = new ForeignVersions(connection);
  }

  expect(change: RowChange): void {
    const entry = historyEntryOf(change);
    if (entry === null) return;
    this.#insert.run(entry.rowId, entry.version, entry.recordedAt, entry.op, digestOf(entry.data));
  }

  expectTableEvent(event: RecordedEvent): void {
    if (event.type !== 'history.purged') return;
    const body = JSON.parse(event.body) as { removed: [string, number, number][] };
    for (const [rowId, first, last] of body.removed) this.#purge.run(rowId, first, last);
  }

  /** Compares both tiers as they are. `turn` is called now and then. */
  async compare(turn: () => Promise<void>): Promise<void> {
    for (const page of this.#rawPages()) {
      for (const row of page)
        this.#met({ ...row, rowId: row.row_id, recordedAt: row.recorded_at, data: row.data_json });
      await turn();
    }
    for (const chunk of this.#chunks()) {
      await this.#compareChunk(chunk);
      await turn();
    }
    this.#missing();
  }

  #met(entry: Entry): void {
    const { rowId, version } = entry;
    const expected = this.#take.get(rowId, version);
    if (expected === undefined) {
      if (!this.#earlier.has(rowId, version) && !this.#foreign.has(rowId, version))
        this.#fail(`row ${rowId} has an entry for version ${version} that no event made`);
      return;
    }
    const differing = [
      ...(expected.op === entry.op ? [] : ['op']),
      ...(expected.recorded_at === entry.recordedAt ? [] : ['recorded_at']),
      ...(expected.digest.equals(digestOf(entry.data)) ? [] : ['data']),
    ];
    if (differing.length > 0)
      this.#fail(`row ${rowId}, version ${version}: ${differing.join(', ')} differ from the log`);
  }

  async #compareChunk(chunk: ChunkRow): Promise<void> {
    const { row_id: rowId, version_start: from, version_end: to } = chunk;
    const where = `the archive chunk of row ${rowId}, versions ${from} to ${to},`;
    try {
      const entries = await decodeChunk(rowId, chunk.blob);
      if (!isDescribedBy(entries, chunk))
        this.checks.fail('archive', `${where} holds other entries than its columns say`);
      for (const entry of entries) this.#met(entry);
    } catch {
      this.checks.fail('archive', `${where} cannot be read`);
      this.#purge.run(rowId, from, to);
    }
  }

  #missing(): void {
    const sql = 'SELECT row_id, version FROM temp.expected_history ORDER BY row_id, version LIMIT 1';
    const left = this.connection.prepare<[], { row_id: string; version: number }>(sql).get();
    if (left !== undefined) this.#fail(`row ${left.row_id} has no entry for version ${left.version}`);
  }

  #fail(difference: string): void {
    this.checks.fail('row history', difference);
  }

  *#rawPages(): Generator<RawRow[]> {
    const statement = this.connection.prepare<[number], RawRow>(
      `SELECT id, row_id, version, recorded_at, op, data_json FROM _row_history WHERE id > ? ORDER BY id LIMIT 500`,
    );
    for (let page = statement.all(0); page.length > 0; page = statement.all(page.at(-1)?.id ?? 0)) yield page;
  }

  *#chunks(): Generator<ChunkRow> {
    const statement = this.connection.prepare<[number], ChunkRow>(
      `SELECT id, row_id, version_start, version_end, recorded_start, recorded_end, entry_count, blob
       FROM _row_history_archive WHERE id > ? ORDER BY id LIMIT 1`,
    );
    for (let chunk = statement.get(0); chunk !== undefined; chunk = statement.get(chunk.id)) yield chunk;
  }
}

function isDescribedBy(entries: readonly HistoryEntry[], chunk: ChunkRow): boolean {
  const [first, last] = [entries[0], entries.at(-1)];
  return (
    entries.length === chunk.entry_count &&
    first?.version === chunk.version_start &&
    last?.version === chunk.version_end &&
    first.recordedAt === chunk.recorded_start &&
    last.recordedAt === chunk.recorded_end &&
    entries.every((entry, index) => index === 0 || entry.version > (entries[index - 1]?.version ?? 0))
  );
}

function digestOf(data: string | null): Buffer {
  return hash('sha256', data ?? 'null', 'buffer');
}
