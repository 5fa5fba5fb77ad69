/**
 * The log as everything above it sees it. The embedded implementation is `sqlite-event-log.ts`; a replicated log can be a
 * second one, which is why appending is asynchronous and reading is "after a position".
 */
import type { Observable } from 'rxjs';
import type { JsonValue } from '../schema/json.js';
import type { Connection } from './database.js';
import type { Caller, EventContent, NewEvent, RecordedEvent, RowState, StoredEvent } from './types.js';

export interface EventLog {
  /**
   * Runs one command and answers after its events are durable.
   * @throws StoreError whatever `decide` throws; BUSY when the queue is full or the lock was not had in time;
   *   IDEMPOTENCY_CONFLICT when the key was used with other arguments.
   */
  append<T>(command: Command<T>): Promise<Appended<T>>;
  /** Events with `seq` greater than the position, oldest first, at most `limit` of them. */
  readAfter(position: number, limit: number): Promise<readonly StoredEvent[]>;
  /** The sequence number of the newest event; 0 for an empty log. */
  head(): Promise<number>;
  /** One signal after each commit of this process, never inside it. It may be merged or late: read the log for facts. */
  readonly committed$: Observable<Committed>;
}

export interface Committed {
  readonly head: number;
}

/** One thing a caller wants done: all of its events are appended together, or none. */
export interface Command<T> {
  readonly caller: Caller;
  readonly idempotency?: Idempotency<T> | undefined;
  /**
   * Reads what it needs, decides, appends; throws to refuse. Synchronous. It may run more than once before its
   * transaction commits, so it must have no effect but through `tx`.
   */
  decide(tx: CommandTransaction): T;
}

/** How a command is recognised when it is sent again (rulings 3.6). */
export interface Idempotency<T> {
  readonly key: string;
  /** SHA-256 of the canonical arguments. */
  readonly digest: string;
  /** What to keep of the result: small, because it lives in the log. */
  remember(result: T): JsonValue;
  /** The first result again. */
  recall(kept: JsonValue, tx: CommandTransaction): T;
}

export interface Appended<T> {
  readonly result: T;
  readonly replayed: boolean;
  /** The newest event of this command; the head when it appended none. */
  readonly seq: number;
}

/** The view a command decides on: the state inside its own transaction, its own appends included. */
export interface CommandTransaction {
  /** Unix milliseconds; the same for every event of the command. */
  readonly at: number;
  /** The live row, or null. */
  row(id: string): RowState | null;
  /** The row as it was at a version, deleted or not, folded from the log; null when the log does not reach back. */
  rowAtVersion(id: string, version: number): RowState | null;
  /** The newest state that a row had at or before a time (Unix seconds), also of a row that is gone; from the log. */
  lastLiveRow(id: string, atOrBefore?: number): RowState | null;
  /**
   * Records what somebody made of a row past the log, noted or not, as an event.
   * @returns what it was, or null when the row is as the log has it.
   */
  reconcile(id: string): 'create' | 'update' | 'delete' | null;
  /** Appends to the log and moves the inline projections. */
  append(event: NewEvent): RecordedEvent;
  /** The newest event of the whole table with this type, this command's own included; null when there is none. */
  lastTableEvent(type: string): EventContent | null;
  /** The rows that this command has changed so far, as it left them; null for one that is gone. */
  changedRows(): readonly { readonly id: string; readonly row: RowState | null }[];
  /**
   * Runs statements that may change `rows`, finds out which rows they changed, and takes the changes back: the caller
   * appends one event for each, and the projections make them again.
   */
  directly<T>(run: (connection: Connection) => T): { readonly result: T; readonly changes: readonly DirectChange[] };
  /**
   * Takes back an effect outside the database when this command is rolled back. It runs while the write lock is still
   * held, wherever that can be; it must not throw.
   */
  onRollback(undo: () => void): void;
}

/** One row that a direct statement changed. `found` is what it left: its columns may hold whatever SQLite let in. */
export interface DirectChange {
  readonly id: string;
  readonly before: RowState | null;
  readonly found: RowState | null;
}
