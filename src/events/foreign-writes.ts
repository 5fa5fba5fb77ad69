/**
 * Rows that somebody else changed directly. Triggers note them (drizzle/table/0001_triggers.sql); here they become events:
 * one at a time when a command touches such a row, all of them in `reconcile` (rulings 3.10).
 */
import { asJsonObjectText, type JsonText, joinMembers, jsonText, type Members, splitMembers } from '../schema/json.js';
import { currentVersion, upcast } from './catalogue.js';
import type { ForeignChanges, ForeignChangeTarget, ForeignOp } from './command-transaction.js';
import type { Connection } from './database.js';
import type { EventRows } from './event-rows.js';
import { evolve } from './evolve.js';
import type { RowStates } from './inline-projection.js';
import { diffRow } from './row-patch.js';
import type { Caller, NewEvent, RowState } from './types.js';

interface Note {
  before_data: JsonText | null;
  before_created_at: number | null;
  before_updated_at: number | null;
  before_version: number | null;
}

/** Nobody can tell who wrote past the log. */
const somebody: Caller = { actor: 'unknown', origin: { tool: 'foreign-write', session: 'unknown' } };

export class ForeignWrites implements ForeignChanges {
  #any = false;
  readonly #exists;
  readonly #note;
  readonly #forget;
  readonly #ids;

  constructor(
    connection: Connection,
    private readonly events: EventRows,
    private readonly states: RowStates,
    private readonly history: 'full' | 'off',
  ) {
    this.#exists = connection.prepare<[], number>('SELECT EXISTS (SELECT 1 FROM _foreign_writes)').pluck();
    this.#note = connection.prepare<[string], Note>(
      'SELECT before_data, before_created_at, before_updated_at, before_version FROM _foreign_writes WHERE row_id = ?',
    );
    this.#forget = connection.prepare<[string]>('DELETE FROM _foreign_writes WHERE row_id = ?');
    this.#ids = connection.prepare<[], string>('SELECT row_id FROM _foreign_writes ORDER BY rowid').pluck();
  }

  /** Looks once per transaction whether there are any: under the write lock nobody can add one. */
  refresh(): void {
    this.#any = this.#exists.get() === 1;
  }

  isNoted(rowId: string): boolean {
    return this.#any && this.#note.get(rowId) !== undefined;
  }

  /** Every noted row, in the order of notice. */
  noted(): string[] {
    return this.#ids.all();
  }

  /**
   * Records what somebody made of a row, as one event, and forgets the note.
   * @returns what it was, or null when nothing differs from the log any more.
   */
  absorb(rowId: string, tx: ForeignChangeTarget): ForeignOp | null {
    const note = this.#note.get(rowId);
    this.#forget.run(rowId);
    const inLog = this.#stateInLog(rowId, note);
    const lastVersion = this.states.lastVersion(rowId);
    // The other program may have kept history of what it did: such entries keep their versions.
    const hasHistory = lastVersion > this.events.lastVersion(rowId);
    const found = this.states.get(rowId);
    if (isSame(inLog, found) && !hasHistory) return null;
    return recordForeignChange({ rowId, inLog, found, lastVersion, history: this.history }, tx);
  }

  #stateInLog(rowId: string, note: Note | undefined): RowState | null {
    const noted = stateOfNote(rowId, note);
    if (noted !== null && noted.version === this.events.lastVersion(rowId)) return noted;
    let state: RowState | null = null;
    for (const event of this.events.ofRow(rowId)) state = evolve(state, upcast(event)).after;
    return state;
  }
}

interface ForeignChange {
  readonly rowId: string;
  readonly inLog: RowState | null;
  readonly found: RowState | null;
  /** The highest version in the history. */
  readonly lastVersion: number;
  readonly history: 'full' | 'off';
}

/** Appends the event that takes a row from its state in the log to the one that somebody left in `rows`. */
function recordForeignChange(
  { rowId, inLog, found, lastVersion, history }: ForeignChange,
  tx: ForeignChangeTarget,
): ForeignOp {
  const op = found === null ? 'delete' : inLog === null ? 'create' : 'update';
  const body: Members = new Map([['op', jsonText(op)]]);
  if (found !== null) {
    for (const [key, value] of rowChange(inLog, found, history)) body.set(key, value);
    body.set('created_at', jsonText(found.createdAt));
    body.set('updated_at', jsonText(found.updatedAt));
  }
  if (history === 'off') body.set('history', jsonText('off'));
  const type = 'row.reconciled';
  const rowVersion = versionFor({ inLog, found, lastVersion });
  const content = { type, version: currentVersion(type), rowId, body: joinMembers(body), ...rowVersion };
  const event: NewEvent = { ...content, caller: somebody };
  tx.appendTo(event, inLog);
  return op;
}

/**
 * The version after what the other program kept. A row that came and went leaves no entry of its own, so its event takes the
 * newest version instead: the other program would give out the next one again.
 */
function versionFor({ inLog, found, lastVersion }: Pick<ForeignChange, 'inLog' | 'found' | 'lastVersion'>) {
  if (inLog !== null) return { rowVersion: Math.max(inLog.version, lastVersion) + 1 };
  return found === null ? { rowVersion: lastVersion } : {};
}

/** The members that hold a whole row: as JSON when it is an object with nothing around it, else as the text it is. */
export function wholeRow(data: JsonText): Members {
  return asJsonObjectText(data) === null || data.trim() !== data
    ? new Map([['text', jsonText(data)]])
    : new Map([['data', data]]);
}

/** The members that take a row from one state to another: a patch where that keeps it to the byte, else the whole row. */
export function rowChange(inLog: RowState | null, found: RowState, history: 'full' | 'off'): Members {
  if (
    inLog === null ||
    history === 'off' ||
    asJsonObjectText(found.data) === null ||
    asJsonObjectText(inLog.data) === null
  ) {
    return wholeRow(found.data);
  }
  const after = splitMembers(found.data);
  // A patch gives compact text; what somebody stored with other spacing is kept whole, to the byte.
  if (joinMembers(after) !== found.data) return wholeRow(found.data);
  return diffRow(splitMembers(inLog.data), after);
}

function isSame(a: RowState | null, b: RowState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.data === b.data && a.createdAt === b.createdAt && a.updatedAt === b.updatedAt;
}

function stateOfNote(rowId: string, note: Note | undefined): RowState | null {
  if (note?.before_data == null || note.before_version === null) return null;
  return {
    id: rowId,
    data: note.before_data,
    createdAt: note.before_created_at ?? 0,
    updatedAt: note.before_updated_at ?? 0,
    version: note.before_version,
  };
}
