/** The rows of `_events` and the statements on them, prepared once per connection. */
import type { JsonText } from '../schema/json.js';
import type { Connection } from './database.js';
import { genesisHash } from './hash-chain.js';
import type { StoredEvent } from './types.js';

interface EventRow {
  seq: number;
  commit_no: number;
  row_id: string | null;
  row_version: number | null;
  type: string;
  event_version: number;
  body: JsonText;
  actor: string;
  origin: JsonText;
  idempotency_key: string | null;
  request_digest: string | null;
  outcome: JsonText | null;
  at_ms: number;
  prev_hash: Buffer;
  hash: Buffer;
}

/** The newest position of the log. */
export interface Head {
  readonly seq: number;
  readonly commit: number;
  readonly hash: string;
}

const columns = `seq, commit_no, row_id, row_version, type, event_version, body, actor, origin, idempotency_key,
  request_digest, outcome, at_ms, prev_hash, hash`;

export class EventRows {
  readonly #insert;
  readonly #head;
  readonly #lastSequence;
  readonly #after;
  readonly #ofRow;
  readonly #byKey;
  readonly #lastVersion;
  readonly #lastOfTable;

  constructor(connection: Connection) {
    this.#insert = connection.prepare(
      `INSERT INTO _events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#head = connection.prepare<[], Pick<EventRow, 'seq' | 'commit_no' | 'hash'>>(
      'SELECT seq, commit_no, hash FROM _events ORDER BY seq DESC LIMIT 1',
    );
    this.#lastSequence = connection
      .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = '_events'")
      .pluck();
    this.#after = connection.prepare<[number, number], EventRow>(
      `SELECT ${columns} FROM _events WHERE seq > ? ORDER BY seq LIMIT ?`,
    );
    this.#ofRow = connection.prepare<[string], EventRow>(
      `SELECT ${columns} FROM _events WHERE row_id = ? ORDER BY row_version`,
    );
    this.#byKey = connection.prepare<[string], EventRow>(`SELECT ${columns} FROM _events WHERE idempotency_key = ?`);
    this.#lastVersion = connection
      .prepare<[string], number | null>('SELECT max(row_version) FROM _events WHERE row_id = ?')
      .pluck();
    this.#lastOfTable = connection.prepare<[string], EventRow>(
      `SELECT ${columns} FROM _events WHERE row_id IS NULL AND type = ? ORDER BY seq DESC LIMIT 1`,
    );
  }

  insert(event: StoredEvent): void {
    this.#insert.run(
      event.seq,
      event.commit,
      event.rowId,
      event.rowVersion,
      event.type,
      event.version,
      event.body,
      event.actor,
      event.origin,
      event.idempotencyKey,
      event.requestDigest,
      event.outcome,
      event.at,
      Buffer.from(event.prevHash, 'hex'),
      Buffer.from(event.hash, 'hex'),
    );
  }

  head(): Head {
    const row = this.#head.get();
    if (row === undefined) return { seq: 0, commit: 0, hash: genesisHash };
    return { seq: row.seq, commit: row.commit_no, hash: row.hash.toString('hex') };
  }

  /** The highest sequence number ever given out, which a truncated log does not show any more. */
  lastSequence(): number {
    return this.#lastSequence.get() ?? 0;
  }

  after(position: number, limit: number): StoredEvent[] {
    return this.#after.all(position, limit).map(storedEvent);
  }

  /** Every event of a row, oldest first. */
  ofRow(rowId: string): StoredEvent[] {
    return this.#ofRow.all(rowId).map(storedEvent);
  }

  byIdempotencyKey(key: string): StoredEvent | null {
    const row = this.#byKey.get(key);
    return row === undefined ? null : storedEvent(row);
  }

  /** The newest event of the whole table with this type. */
  lastOfTable(type: string): StoredEvent | null {
    const row = this.#lastOfTable.get(type);
    return row === undefined ? null : storedEvent(row);
  }

  /** The highest version that the log knows of a row; 0 when it knows none. */
  lastVersion(rowId: string): number {
    return this.#lastVersion.get(rowId) ?? 0;
  }
}

function storedEvent(row: EventRow): StoredEvent {
  return {
    seq: row.seq,
    commit: row.commit_no,
    rowId: row.row_id,
    rowVersion: row.row_version,
    type: row.type,
    version: row.event_version,
    body: row.body,
    actor: row.actor,
    origin: row.origin,
    idempotencyKey: row.idempotency_key,
    requestDigest: row.request_digest,
    outcome: row.outcome,
    at: row.at_ms,
    prevHash: row.prev_hash.toString('hex'),
    hash: row.hash.toString('hex'),
  };
}
