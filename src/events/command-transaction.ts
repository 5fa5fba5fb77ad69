/** One command inside the writer's transaction: reads the state, appends events, moves the inline projections. */
import type { JsonText, Members } from '../schema/json.js';
import { upcast } from './catalogue.js';
import type { Connection } from './database.js';
import type { CommandTransaction, DirectChange } from './event-log.js';
import type { EventRows, Head } from './event-rows.js';
import { evolve } from './evolve.js';
import { hashOf } from './hash-chain.js';
import type { InlineProjection, RowStates } from './inline-projection.js';
import type { Caller, EventContent, NewEvent, Origin, RecordedEvent, RowState, StoredEvent } from './types.js';

/** What somebody made of a row. */
export type ForeignOp = 'create' | 'update' | 'delete';

/** Changes that somebody made past the log: what `foreign-writes.ts` knows of them. */
export interface ForeignChanges {
  isNoted(rowId: string): boolean;
  /** Records what somebody made of a row. */
  absorb(rowId: string, tx: ForeignChangeTarget): ForeignOp | null;
  /** Every noted row, in the order of notice. */
  noted(): string[];
}

/** Where a foreign change is recorded. */
export interface ForeignChangeTarget {
  appendTo(event: NewEvent, before: RowState | null): RecordedEvent;
}

export interface TransactionParts {
  readonly connection: Connection;
  readonly events: EventRows;
  readonly states: RowStates;
  readonly projections: readonly InlineProjection[];
  readonly foreign: ForeignChanges;
}

type DirectFinding = Omit<DirectChange, 'before'>;

/**
 * An event whose last columns are filled in when its command ends: in place, because a copy of every event is a measurable
 * part of what a write costs.
 */
type PendingEvent = RecordedEvent & {
  -readonly [Column in Exclude<keyof StoredEvent, keyof RecordedEvent>]: StoredEvent[Column];
};

/** What a command's first event carries so that a repetition is recognised and answered. */
export interface IdempotencyStamp {
  readonly key: string;
  readonly digest: string;
  readonly outcome: JsonText;
}

/**
 * Projections move at once, so that the command sees its own effect; the events themselves are written by {@link seal},
 * when the outcome is known that the first of them has to carry.
 */
export class LiveTransaction implements CommandTransaction, ForeignChangeTarget {
  readonly #known = new Map<string, RowState | null>();
  readonly #appended: PendingEvent[] = [];
  /** The newest version of each row that this command changed: its events are not in `_events` yet. */
  readonly #versions = new Map<string, number>();
  #undos: (() => void)[] = [];
  #hasWritten = false;
  #hasEnded = false;

  constructor(
    readonly at: number,
    private readonly start: Head,
    private readonly commit: number,
    private readonly caller: Caller,
    private readonly parts: TransactionParts,
    /** Projections are to do without further preparation. */
    private readonly urgent = false,
  ) {}

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** Whether an event of the whole table is among what it appended. */
  get hasTableEvents(): boolean {
    return this.#appended.some((event) => event.rowId === null);
  }

  row(id: string): RowState | null {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (this.parts.foreign.isNoted(id)) {
      this.#hasWritten = true;
      this.parts.foreign.absorb(id, this);
    }
    return this.#known.get(id) ?? this.#remember(id, this.parts.states.get(id));
  }

  rowAtVersion(id: string, version: number): RowState | null {
    const current = this.row(id);
    if (current?.version === version) return current;
    let state: RowState | null = null;
    for (const event of this.parts.events.ofRow(id)) {
      if ((event.rowVersion ?? 0) > version) return null;
      state = evolve(state, upcast(event)).after;
      if (event.rowVersion === version) return state;
    }
    return null;
  }

  lastLiveRow(id: string, atOrBefore = Number.POSITIVE_INFINITY): RowState | null {
    let state: RowState | null = null;
    let last: RowState | null = null;
    for (const event of this.parts.events.ofRow(id)) {
      state = evolve(state, upcast(event)).after;
      if (state !== null && state.updatedAt <= atOrBefore) last = state;
    }
    return last;
  }

  reconcile(id: string): ForeignOp | null {
    this.#hasWritten = true;
    return this.parts.foreign.absorb(id, this);
  }

  lastTableEvent(type: string): EventContent | null {
    const own = this.#appended.findLast((event) => event.rowId === null && event.type === type);
    return own ?? this.parts.events.lastOfTable(type);
  }

  directly<T>(run: (connection: Connection) => T): { result: T; changes: DirectChange[] } {
    const { connection, foreign } = this.parts;
    // What others did is recorded first, so that what is noted afterwards is the work of this command.
    for (const id of foreign.noted()) foreign.absorb(id, this);
    connection.exec('SAVEPOINT direct');
    let found: DirectFinding[];
    let result: T;
    try {
      result = this.#noting(run);
      found = foreign.noted().map((id) => ({ id, found: this.parts.states.get(id) }));
    } finally {
      if (connection.inTransaction) connection.exec('ROLLBACK TO direct; RELEASE direct');
    }
    return { result, changes: found.map((change) => ({ ...change, before: this.row(change.id) })) };
  }

  changedRows(): { id: string; row: RowState | null }[] {
    return [...this.#versions.keys()].map((id) => ({ id, row: this.row(id) }));
  }

  onRollback(undo: () => void): void {
    this.#undos.push(undo);
  }

  /** What {@link onRollback} collected, newest first; it is handed over once. */
  takeUndos(): (() => void)[] {
    const undos = this.#undos.reverse();
    this.#undos = [];
    return undos;
  }

  append(event: NewEvent): RecordedEvent {
    return this.appendTo(event, event.rowId === null || event.isFresh ? null : this.row(event.rowId));
  }

  /** Appends an event to a row whose state before it is given, because it is not the one in `rows`. */
  appendTo(event: NewEvent, before: RowState | null): RecordedEvent {
    if (this.#hasEnded) throw new Error('the transaction of this command has ended');
    const caller = event.caller ?? this.caller;
    const recorded: PendingEvent = {
      seq: this.start.seq + this.#appended.length + 1,
      commit: this.commit,
      rowId: event.rowId,
      rowVersion: this.#versionAfter(event, before),
      type: event.type,
      version: event.version,
      body: event.body,
      actor: caller.actor.toWellFormed(),
      origin: originText(caller.origin),
      at: this.at,
      idempotencyKey: null,
      requestDigest: null,
      outcome: null,
      prevHash: '',
      hash: '',
    };
    this.#appended.push(recorded);
    if (recorded.rowId !== null) this.#versions.set(recorded.rowId, recorded.rowVersion ?? 0);
    this.#hasWritten = true;
    this.#project(recorded, before, event.members);
    return recorded;
  }

  /** Nothing is appended any more: without its transaction a projection would move and no event be written. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Ends the command: writes its events, hashed in order. Returns the new head. */
  seal(stamp: IdempotencyStamp | null): Head {
    this.end();
    const [first] = this.#appended;
    if (first !== undefined && stamp !== null) {
      first.idempotencyKey = stamp.key;
      first.requestDigest = stamp.digest;
      first.outcome = stamp.outcome;
    }
    let head = this.start;
    for (const event of this.#appended) {
      event.prevHash = head.hash;
      event.hash = hashOf(event);
      this.parts.events.insert(event);
      head = { seq: event.seq, commit: this.commit, hash: event.hash };
    }
    return head;
  }

  /** Without recursive triggers a row that REPLACE removes would not be noted. */
  #noting<T>(run: (connection: Connection) => T): T {
    const { connection } = this.parts;
    connection.pragma('recursive_triggers = ON');
    try {
      return run(connection);
    } finally {
      connection.pragma('recursive_triggers = OFF');
    }
  }

  #remember(id: string, state: RowState | null): RowState | null {
    this.#known.set(id, state);
    return state;
  }

  #versionAfter({ rowId, rowVersion, isFresh }: NewEvent, before: RowState | null): number | null {
    if (rowId === null) return null;
    if (rowVersion !== undefined) return rowVersion;
    if (isFresh) return 1;
    if (before !== null) return before.version + 1;
    const { events, states } = this.parts;
    return Math.max(this.#versions.get(rowId) ?? 0, events.lastVersion(rowId), states.lastVersion(rowId)) + 1;
  }

  #project(event: RecordedEvent, before: RowState | null, members?: Members): void {
    if (event.rowId === null) {
      for (const projection of this.parts.projections) projection.applyTableEvent?.(event);
      return;
    }
    const change = evolve(before, event, members);
    for (const projection of this.parts.projections) projection.apply(change, this.urgent);
    this.#known.set(event.rowId, change.after);
  }
}

const originTexts = new WeakMap<Origin, JsonText>();

/** A caller's origin is one object for many events; its text is made once. */
function originText(origin: Origin): JsonText {
  const known = originTexts.get(origin);
  if (known !== undefined) return known;
  const text = JSON.stringify(origin) as JsonText;
  originTexts.set(origin, text);
  return text;
}
