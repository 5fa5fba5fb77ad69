/** The rows of `_events` and the statements on them, prepared once per connection. */
import type { JsonText } from '../schema/json.js';
import type { Connection } from './database.js';
import { genesisHash } from './hash-chain.js';
import type { StoredEvent } from './types.js';

/** In the order of `columns`. Arrays: a driver that makes objects of fifteen members takes twice as long. */
type EventRow = [
  seq: number,
  commit: number,
  rowId: string | null,
  rowVersion: number | null,
  type: string,
  version: number,
  body: JsonText,
  actor: string,
  origin: JsonText,
  idempotencyKey: string | null,
  requestDigest: string | null,
  outcome: JsonText | null,
  at: number,
  prevHash: Buffer,
  hash: Buffer,
];

interface HeadRow {
  seq: number;
  commit_no: number;
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
  readonly #lastTableEvent;
  #lastHash = { text: genesisHash, bytes: bytesOf(genesisHash) };

  constructor(connection: Connection) {
    this.#insert = connection.prepare(
      `INSERT INTO _events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#head = connection.prepare<[], HeadRow>('SELECT seq, commit_no, hash FROM _events ORDER BY seq DESC LIMIT 1');
    this.#lastSequence = connection
      .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = '_events'")
      .pluck();
    const select = <P extends unknown[]>(rest: string) =>
      connection.prepare<P, EventRow>(`SELECT ${columns} FROM _events WHERE ${rest}`).raw();
    this.#after = select<[number, number]>('seq > ? ORDER BY seq LIMIT ?');
    this.#ofRow = select<[string]>('row_id = ? ORDER BY row_version');
    this.#byKey = select<[string]>('idempotency_key = ?');
    this.#lastVersion = connection
      .prepare<[string], number | null>('SELECT max(row_version) FROM _events WHERE row_id = ?')
      .pluck();
    this.#lastTableEvent = connection
      .prepare<[], number | null>('SELECT max(seq) FROM _events WHERE row_id IS NULL')
      .pluck();
    this.#lastOfTable = select<[string]>('row_id IS NULL AND type = ? ORDER BY seq DESC LIMIT 1');
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
      this.#lastHash.text === event.prevHash ? this.#lastHash.bytes : bytesOf(event.prevHash),
      this.#keep(event.hash),
    );
  }

  /** The hash of one event is the next one's hash before it, and turning it into bytes is not free. */
  #keep(hash: string): Buffer {
    const bytes = bytesOf(hash);
    this.#lastHash = { text: hash, bytes };
    return bytes;
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

  /** The position of the newest event of the whole table; one look at an index. */
  lastTableEvent(): number {
    return this.#lastTableEvent.get() ?? 0;
  }

  /** The highest version that the log knows of a row; 0 when it knows none. */
  lastVersion(rowId: string): number {
    return this.#lastVersion.get(rowId) ?? 0;
  }
}

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

function storedEvent(row: EventRow): StoredEvent {
  const [seq, commit, rowId, rowVersion, type, version, body, actor, origin, idempotencyKey, requestDigest] = row;
  const [outcome, at, prevHash, hash] = [row[11], row[12], row[13], row[14]];
  return {
    seq,
    commit,
    rowId,
    rowVersion,
    type,
    version,
    body,
    actor,
    origin,
    idempotencyKey,
    requestDigest,
    outcome,
    at,
    prevHash: prevHash.toString('hex'),
    hash: hash.toString('hex'),
  };
}
