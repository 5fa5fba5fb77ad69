/**
 * Taking over a database that has no log: what the predecessor left, or rows that somebody wrote before the first event
 * (rulings 3.9). One event says what was found, with a digest, then each row is imported; the old history stays in place.
 */
import { createHash, type Hash } from 'node:crypto';
import { type JsonText, joinMembers, jsonText, type Members } from '../schema/json.js';
import { currentVersion } from './catalogue.js';
import { type Connection, patiently } from './database.js';
import { EventRows, type Head } from './event-rows.js';
import { evolve } from './evolve.js';
import { wholeRow } from './foreign-writes.js';
import { hashOf } from './hash-chain.js';
import type { InlineProjection, RowStates } from './inline-projection.js';
import type { EventContent } from './types.js';

export interface Adoption {
  readonly rows: number;
  readonly historyEntries: number;
}

export interface AdoptionParts {
  readonly connection: Connection;
  readonly states: RowStates;
  readonly projections: readonly InlineProjection[];
  /** Names the process in the events' origin. */
  readonly session: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** How long another process may be busy adopting, in milliseconds. */
const longestAdoption = 60_000;

/** Adopts the database if that is needed. Several processes may try at once: one does it, the others find it done. */
export function adopt(parts: AdoptionParts): Adoption | null {
  const { connection } = parts;
  if (!needsAdoption(connection)) return null;
  patiently(() => connection.exec('BEGIN IMMEDIATE'), longestAdoption);
  try {
    const adoption = needsAdoption(connection) ? new Adopter(parts).run() : null;
    connection.exec('COMMIT');
    return adoption;
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** A log that gave out numbers before and is empty now was tampered with, not never there. */
function needsAdoption(connection: Connection): boolean {
  const events = new EventRows(connection);
  if (events.head().seq !== 0 || events.lastSequence() !== 0) return false;
  const found = `SELECT EXISTS (SELECT 1 FROM rows) OR EXISTS (SELECT 1 FROM _row_history)
    OR EXISTS (SELECT 1 FROM _row_history_archive) OR EXISTS (SELECT 1 FROM _aliases)`;
  return connection.prepare<[], number>(found).pluck().get() === 1;
}

interface RowFound {
  rowid: number;
  id: string;
  data: JsonText;
  created_at: number;
  updated_at: number;
}

const pageSize = 1000;

class Adopter {
  readonly #events: EventRows;
  readonly #origin: JsonText;
  readonly #page;
  #head: Head;

  constructor(private readonly parts: AdoptionParts) {
    this.#events = new EventRows(parts.connection);
    this.#origin = JSON.stringify({ tool: 'adopt', session: parts.session }) as JsonText;
    this.#head = this.#events.head();
    this.#page = parts.connection.prepare<[number, number], RowFound>(
      'SELECT rowid, id, data, created_at, updated_at FROM rows WHERE rowid > ? ORDER BY rowid LIMIT ?',
    );
  }

  run(): Adoption {
    const found = this.#adopted();
    for (const row of this.#rows()) this.#import(row);
    // The triggers noted nothing but what has just been imported.
    this.parts.connection.exec('DELETE FROM _foreign_writes');
    return found;
  }

  #adopted(): Adoption {
    const rowsDigest = createHash('sha256');
    let rows = 0;
    for (const row of this.#rows()) {
      rows++;
      digestLine(rowsDigest, [row.id, row.data, row.created_at, row.updated_at]);
    }
    const history = this.#digestHistory();
    const aliases = this.#scalar('SELECT count(*) FROM _aliases');
    this.#append({
      type: 'table.adopted',
      version: currentVersion('table.adopted'),
      rowId: null,
      body: jsonText({
        rows,
        rows_digest: rowsDigest.digest('hex'),
        history_entries: history.entries,
        history_digest: history.digest,
        aliases,
      }),
    });
    return { rows, historyEntries: history.entries };
  }

  /** Both tiers as they lie there: the raw entries' columns and the archive's blobs. */
  #digestHistory(): { entries: number; digest: string } {
    const hash = createHash('sha256');
    const raw = `SELECT id, table_name, row_id, version, recorded_at, op, data_json, prev_data_json FROM _row_history
      WHERE id > ? ORDER BY id LIMIT ?`;
    const archived = `SELECT id, table_name, row_id, version_start, version_end, blob FROM _row_history_archive
      WHERE id > ? ORDER BY id LIMIT ?`;
    for (const sql of [raw, archived]) {
      for (const columns of this.#pages(sql)) digestLine(hash, columns);
    }
    const count = `SELECT (SELECT count(*) FROM _row_history) +
      (SELECT coalesce(sum(entry_count), 0) FROM _row_history_archive)`;
    return { entries: this.#scalar(count), digest: hash.digest('hex') };
  }

  *#pages(sql: string): Generator<unknown[]> {
    const statement = this.parts.connection.prepare<[number, number], unknown[]>(sql).raw();
    for (let last = 0; ; ) {
      const page = statement.all(last, pageSize);
      yield* page;
      if (page.length < pageSize) return;
      last = Number(page.at(-1)?.[0]);
    }
  }

  *#rows(): Generator<RowFound> {
    for (let last = Number.MIN_SAFE_INTEGER; ; ) {
      const page = this.#page.all(last, pageSize);
      yield* page;
      if (page.length < pageSize) return;
      last = page.at(-1)?.rowid ?? last;
    }
  }

  #import(row: RowFound): void {
    const body: Members = wholeRow(row.data);
    body.set('created_at', jsonText(row.created_at)).set('updated_at', jsonText(row.updated_at));
    const type = 'row.imported';
    const content = { type, version: currentVersion(type), rowId: row.id, body: joinMembers(body) };
    // The next change then is the version after the newest in the old history.
    this.#append(content, this.parts.states.lastVersion(row.id));
  }

  #append(content: EventContent, rowVersion: number | null = null): void {
    const recorded = {
      ...content,
      seq: this.#head.seq + 1,
      commit: 1,
      rowVersion,
      actor: 'mini-app-mcp',
      origin: this.#origin,
      at: this.parts.now,
    };
    const chained = {
      ...recorded,
      idempotencyKey: null,
      requestDigest: null,
      outcome: null,
      prevHash: this.#head.hash,
    };
    const hash = hashOf(chained);
    this.#events.insert({ ...chained, hash });
    this.#head = { seq: chained.seq, commit: 1, hash };
    if (content.rowId === null) return;
    const change = evolve(null, recorded);
    for (const projection of this.parts.projections) projection.apply(change);
  }

  #scalar(sql: string): number {
    return this.parts.connection.prepare<[], number>(sql).pluck().get() ?? 0;
  }
}

function digestLine(hash: Hash, columns: readonly unknown[]): void {
  for (const column of columns) hash.update(Buffer.isBuffer(column) ? column : String(column)).update('\0');
  hash.update('\n');
}
