/** How a row's events fold to its state. Pure: the event holds everything, the clock included. */
import { StoreError } from '../errors.js';
import { type JsonText, joinMembers, type Members, parseJson, splitMembers } from '../schema/json.js';
import { membersOfRow } from './row-members.js';
import { applyPatch } from './row-patch.js';
import type { RecordedEvent, RowState } from './types.js';

/** One event and what it does to its row: what inline projections are given. */
export interface RowChange {
  readonly event: RecordedEvent;
  readonly before: RowState | null;
  readonly after: RowState | null;
  /** False for a change that leaves no history entry: an import, or a table with `history: off`. */
  readonly recorded: boolean;
}

/**
 * @param event in today's shape (`upcast`).
 * @param body the members of its body.
 * @throws StoreError CORRUPT_LOG when the event does not fit the state.
 */
export function evolve(
  before: RowState | null,
  event: RecordedEvent,
  body: Members = splitMembers(event.body),
): RowChange {
  const recorded = event.type !== 'row.imported' && !body.has('history');
  return { event, before, after: nextState(before, event, body), recorded };
}

function nextState(before: RowState | null, event: RecordedEvent, body: Members): RowState | null {
  switch (event.type) {
    case 'row.created':
    case 'row.imported':
      return stateOf(event, wholeData(body, event), body, null);
    case 'row.updated':
      return stateOf(event, updatedData(before, event, body), body, before);
    case 'row.restored':
      return stateOf(event, restoredData(before, event, body), body, before);
    case 'row.deleted':
      // Without history the events before it may have been compacted away.
      if (!body.has('history')) existing(before, event);
      return null;
    case 'row.reconciled':
      return reconciled(before, event, body);
    default:
      return before;
  }
}

function stateOf(event: RecordedEvent, data: JsonText, body: Members, before: RowState | null): RowState {
  const at = Math.floor(event.at / 1000);
  return {
    id: event.rowId ?? '',
    data,
    createdAt: secondsOf(body.get('created_at')) ?? before?.createdAt ?? at,
    updatedAt: secondsOf(body.get('updated_at')) ?? at,
    version: event.rowVersion ?? 0,
  };
}

/** An event that says when the row was created stands for all before it: those may have been compacted away. */
function updatedData(before: RowState | null, event: RecordedEvent, body: Members): JsonText {
  if (before === null && body.has('created_at')) return wholeData(body, event);
  return changedData(existing(before, event), event, body);
}

function changedData(before: RowState, event: RecordedEvent, body: Members): JsonText {
  if (body.has('data') || body.has('text')) return wholeData(body, event);
  const after = applyPatch(membersOfRow(before), body);
  if (after === null) throw corrupt(event, 'its change does not fit the row it is made to');
  return joinMembers(after);
}

function restoredData(before: RowState | null, event: RecordedEvent, body: Members): JsonText {
  return before === null ? wholeData(body, event) : changedData(before, event, body);
}

function reconciled(before: RowState | null, event: RecordedEvent, body: Members): RowState | null {
  const op = body.get('op');
  if (op === '"delete"') return null;
  if (op === '"create"' || before === null) return stateOf(event, wholeData(body, event), body, null);
  return stateOf(event, changedData(before, event, body), body, before);
}

function existing(before: RowState | null, event: RecordedEvent): RowState {
  if (before === null) throw corrupt(event, 'it changes a row that does not exist');
  return before;
}

function wholeData(body: Members, event: RecordedEvent): JsonText {
  const data = body.get('data');
  if (data !== undefined) return data;
  const text = body.get('text');
  if (text === undefined) throw corrupt(event, 'its body has no data');
  return parseJson(text) as JsonText;
}

function secondsOf(text: JsonText | undefined): number | undefined {
  return text === undefined ? undefined : Number(parseJson(text));
}

function corrupt(event: RecordedEvent, reason: string): StoreError<'CORRUPT_LOG'> {
  return new StoreError('CORRUPT_LOG', { seq: event.seq, reason });
}
