/** The embedded event log: `_events` in the table's own database, with the inline projections in the same transaction. */
import { type Observable, Subject } from 'rxjs';
import { StoreError } from '../errors.js';
import { type JsonText, jsonText, parseJson } from '../schema/json.js';
import { type IdempotencyStamp, LiveTransaction, type TransactionParts } from './command-transaction.js';
import type { Connection } from './database.js';
import { DatabaseFile } from './database-file.js';
import type { Appended, Command, Committed, EventLog } from './event-log.js';
import { EventRows, type Head } from './event-rows.js';
import { ForeignWrites } from './foreign-writes.js';
import { genesisHash } from './hash-chain.js';
import type { InlineProjection, RowStates } from './inline-projection.js';
import { OtherCommits } from './other-commits.js';
import type { StoredEvent } from './types.js';
import { defaultLimits, Writer, type WriterLimits } from './writer.js';

export interface EventLogOptions {
  readonly connection: Connection;
  readonly states: RowStates;
  readonly projections: readonly InlineProjection[];
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly limits?: WriterLimits;
  /** `off`: foreign changes are recorded without a history entry either. */
  readonly history?: 'full' | 'off';
}

export class SqliteEventLog implements EventLog {
  readonly #parts: TransactionParts & { readonly foreign: ForeignWrites };
  readonly #writer: Writer;
  readonly #now: () => number;
  readonly #file: DatabaseFile;
  readonly #committed = new Subject<Committed>();
  readonly #others: OtherCommits;
  /** What the last transaction left behind is still so unless somebody else has committed since. */
  #isKnown = false;
  #isOpen = false;
  /** The newest event of the whole table, once somebody asked in a transaction. */
  #lastTableEvent: number | null = null;
  /** The head as of the last job kept in the open transaction. */
  #head: Head = { seq: 0, commit: 0, hash: genesisHash };
  #jobHead = this.#head;
  #commit = 0;
  #appended = false;
  #kept = false;
  #tx: LiveTransaction | null = null;
  /** How to take back what the jobs of the open transaction did outside the database, newest first. */
  #undos: (() => void)[] = [];

  readonly committed$: Observable<Committed> = this.#committed.asObservable();

  constructor(options: EventLogOptions) {
    const { connection, states, projections } = options;
    const events = new EventRows(connection);
    this.#now = options.now;
    this.#file = new DatabaseFile(connection);
    this.#others = new OtherCommits(connection);
    const foreign = new ForeignWrites(connection, events, states, options.history ?? 'full');
    this.#parts = { connection, events, states, projections, foreign };
    this.#writer = new Writer(connection, this.#hooks(), options.limits ?? defaultLimits);
  }

  append<T>(command: Command<T>): Promise<Appended<T>> {
    return this.#writer.submit((urgent) => this.#run(command, urgent));
  }

  async readAfter(position: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#parts.events.after(position, limit);
  }

  async head(): Promise<number> {
    return this.headNow();
  }

  /** {@link head} without waiting, as this log is local. */
  headNow(): number {
    return this.#parts.events.head().seq;
  }

  /** The position of the newest event of the whole table; in a transaction that of its start. */
  lastTableEvent(): number {
    if (!this.#isOpen) return this.#parts.events.lastTableEvent();
    this.#lastTableEvent ??= this.#parts.events.lastTableEvent();
    return this.#lastTableEvent;
  }

  /** Whether the database's file was moved, deleted or replaced, so that nothing can be written any more. */
  hasMoved(): boolean {
    return this.#file.hasMoved();
  }

  /** Rows with foreign changes that are not recorded yet. */
  notedForeignWrites(): string[] {
    return this.#parts.foreign.noted();
  }

  async close(): Promise<void> {
    await this.#writer.close();
    this.#committed.complete();
  }

  /** Reads what the jobs of a transaction build on. */
  #lookAgain(): void {
    const { events, foreign } = this.#parts;
    const head = events.head();
    // The sequence goes on after numbers that were given out, also when somebody removed the newest events.
    this.#head = { ...head, seq: Math.max(head.seq, events.lastSequence()) };
    this.#lastTableEvent = null;
    foreign.refresh();
  }

  #run<T>(command: Command<T>, urgent: boolean): Appended<T> {
    const tx = new LiveTransaction(this.#now(), this.#head, this.#commit, command.caller, this.#parts, urgent);
    this.#tx = tx;
    const replayed = this.#replay(command, tx);
    if (replayed === null) {
      const result = command.decide(tx);
      this.#jobHead = tx.seal(stampOf(command, result));
      return { result, replayed: false, seq: this.#jobHead.seq };
    }
    // Looking for the first answer may have come upon a foreign change and recorded it.
    this.#jobHead = tx.seal(null);
    return replayed;
  }

  /** The first answer again, when the command's key is in the log. */
  #replay<T>(command: Command<T>, tx: LiveTransaction): Appended<T> | null {
    const { idempotency } = command;
    if (idempotency === undefined) return null;
    const first = this.#parts.events.byIdempotencyKey(idempotency.key);
    if (first === null) return null;
    if (first.requestDigest !== idempotency.digest)
      throw new StoreError('IDEMPOTENCY_CONFLICT', { key: idempotency.key });
    const result = idempotency.recall(parseJson(first.outcome ?? ('null' as JsonText)), tx);
    return { result, replayed: true, seq: first.seq };
  }

  #hooks() {
    return {
      begun: () => {
        if (this.#file.hasMoved()) throw movedAway();
        if (this.#others.hadAny() || !this.#isKnown) this.#lookAgain();
        this.#isKnown = false;
        this.#isOpen = true;
        this.#commit = this.#head.commit + 1;
        this.#appended = false;
        this.#kept = false;
        this.#undos = [];
      },
      reset: () => {
        this.#jobHead = this.#head;
        this.#tx?.end();
        this.#tx = null;
      },
      hasKept: () => this.#kept,
      isClean: () => this.#tx === null || !this.#tx.hasWritten,
      kept: () => {
        this.#appended ||= this.#jobHead !== this.#head;
        this.#kept = true;
        if (this.#tx?.hasTableEvents === true) this.#lastTableEvent = null;
        this.#head = this.#jobHead;
        this.#undos.unshift(...(this.#tx?.takeUndos() ?? []));
      },
      undo: () => {
        for (const undo of this.#tx?.takeUndos() ?? []) undo();
      },
      undoAll: () => {
        this.#isOpen = false;
        for (const undo of [...(this.#tx?.takeUndos() ?? []), ...this.#undos.splice(0)]) undo();
      },
      committed: () => {
        this.#undos = [];
        this.#isKnown = true;
        this.#isOpen = false;
        if (this.#appended) this.#committed.next({ head: this.#head.seq });
      },
    };
  }
}

function stampOf<T>(command: Command<T>, result: T): IdempotencyStamp | null {
  const { idempotency } = command;
  if (idempotency === undefined) return null;
  return { key: idempotency.key, digest: idempotency.digest, outcome: jsonText(idempotency.remember(result)) };
}

function movedAway(): StoreError<'STORAGE_ERROR'> {
  const detail = 'the database file was moved, deleted or replaced while it was in use';
  return new StoreError(
    'STORAGE_ERROR',
    { detail },
    { hint: 'Nothing was changed. Call reload to use what is there.' },
  );
}
