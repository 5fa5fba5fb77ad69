/**
 * A small real log over a real SQLite file: valid rows in `_events`, `rows` moved by plain calls in the same transaction,
 * the signal after COMMIT. Enough for what runs after the commit; the full log has its own tests.
 */
import Sqlite, { type Database } from 'better-sqlite3';
import { type Observable, Subject } from 'rxjs';
import type { Committed, EventLog } from '../../src/events/event-log.js';
import { migrations } from '../../src/events/migrations.js';
import type { RowState, StoredEvent } from '../../src/events/types.js';
import { SqliteCheckpoints } from '../../src/projections/checkpoints/sqlite-checkpoints.js';
import { asJsonObjectText, type JsonText } from '../../src/schema/json.js';

export type Change = { readonly id: string; readonly data: object | null };

const hash = '0'.repeat(64);

export class SmallLog implements Pick<EventLog, 'readAfter' | 'head' | 'committed$'> {
  readonly database: Database;
  readonly #committed$ = new Subject<Committed>();
  readonly committed$: Observable<Committed> = this.#committed$;
  readonly #connections: Database[] = [];

  constructor(readonly path: string) {
    this.database = this.connect();
    this.database.pragma('journal_mode = WAL');
    const exists = this.database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_events'").get();
    if (exists === undefined)
      for (const { statements } of migrations) for (const sql of statements) this.database.exec(sql);
  }

  /** Another connection to the same file, closed with the log. */
  connect(): Database {
    const database = new Sqlite(this.path, { timeout: 5_000 });
    this.#connections.push(database);
    return database;
  }

  checkpoints(options: ConstructorParameters<typeof SqliteCheckpoints>[1] = {}): SqliteCheckpoints {
    return new SqliteCheckpoints(this.connect(), options);
  }

  /** One transaction; answers the head after it. `inline` runs inside, as an inline projection does. */
  commit(changes: readonly Change[], inline: (seq: number) => void = () => undefined): number {
    const run = this.database.transaction(() => {
      for (const change of changes) inline(this.insert(change));
    });
    run.immediate();
    const head = this.headNow();
    this.#committed$.next({ head });
    return head;
  }

  /** Appends one event and moves `rows`; the caller holds the transaction. */
  insert(change: Change): number {
    const { id, data } = change;
    const last = this.database.prepare('SELECT max(row_version) FROM _events WHERE row_id = ?').pluck().get(id);
    const version = Number(last ?? 0) + 1;
    const text = JSON.stringify(data);
    const type = data === null ? 'row.deleted' : 'row.updated';
    const { lastInsertRowid } = this.database
      .prepare(
        `INSERT INTO _events (commit_no, row_id, row_version, type, event_version, body, actor, origin, at_ms, prev_hash, hash)
         VALUES (1, ?, ?, ?, 1, ?, 'test', '{}', 0, x'00', x'00')`,
      )
      .run(id, version, type, text);
    if (data === null) {
      this.database.prepare('UPDATE rows SET version = -1 WHERE id = ?').run(id);
      this.database.prepare('DELETE FROM rows WHERE id = ?').run(id);
    } else {
      this.database
        .prepare(
          `INSERT INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, 1, 1, ?)
           ON CONFLICT (id) DO UPDATE SET data = excluded.data, version = excluded.version`,
        )
        .run(id, text, version);
    }
    return Number(lastInsertRowid);
  }

  async readAfter(position: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.readNow(position, limit);
  }

  readNow(position: number, limit: number): readonly StoredEvent[] {
    const found = this.database
      .prepare('SELECT * FROM _events WHERE seq > ? ORDER BY seq LIMIT ?')
      .all(position, limit);
    return found.map((row) => toEvent(row as EventRow));
  }

  async head(): Promise<number> {
    return this.headNow();
  }

  headNow(): number {
    return Number(this.database.prepare('SELECT coalesce(max(seq), 0) FROM _events').pluck().get());
  }

  get(id: string): RowState | null {
    const row = this.database.prepare('SELECT data, version FROM rows WHERE id = ?').get(id);
    if (row === undefined) return null;
    const { data, version } = row as { data: string; version: number };
    return { id, data: objectText(data), createdAt: 1, updatedAt: 1, version };
  }

  close(): void {
    for (const database of this.#connections) database.close();
  }
}

interface EventRow {
  seq: number;
  row_id: string | null;
  row_version: number | null;
  type: string;
  body: JsonText;
}

function toEvent(row: EventRow): StoredEvent {
  return {
    seq: row.seq,
    commit: 1,
    type: row.type,
    version: 1,
    rowId: row.row_id,
    rowVersion: row.row_version,
    body: row.body,
    actor: 'test',
    origin: objectText('{}'),
    idempotencyKey: null,
    requestDigest: null,
    outcome: null,
    at: 0,
    prevHash: hash,
    hash,
  };
}

export function objectText(text: string): JsonText {
  const checked = asJsonObjectText(text);
  if (checked === null) throw new Error(`not an object: ${text}`);
  return checked;
}
