/** The events that ops decide on, built from what they need to say. Bodies stay small (rulings 3.7). */
import { currentVersion } from '../events/catalogue.js';
import { membersOfRow } from '../events/row-members.js';
import { diffRow } from '../events/row-patch.js';
import type { NewEvent, RowState } from '../events/types.js';
import { asJsonObjectText, type JsonText, joinMembers, jsonText, type Members } from '../schema/json.js';
import type { TableSchema } from '../schema/table-schema.js';

/** A row under an id that was made for it. */
export function newRowCreated(schema: TableSchema, id: string, data: JsonText): NewEvent {
  const type = 'row.created';
  const members = marked(schema, new Map([['data', data]]));
  return { type, version: currentVersion(type), rowId: id, body: joinMembers(members), members, isFresh: true };
}

/** The change from a row to new members; the whole row where the log may be compacted (`history: off`). */
export function rowUpdated(schema: TableSchema, before: RowState, after: Members): NewEvent {
  const body: Members =
    schema.history === 'off' ? wholeMembers(after, before.createdAt) : diffRow(membersOfRow(before), after);
  return rowEvent('row.updated', before.id, marked(schema, body));
}

function wholeMembers(data: Members, createdAt: number): Members {
  return new Map([
    ['data', joinMembers(data)],
    ['created_at', jsonText(createdAt)],
  ]);
}

/** A row as a statement left it, its times included. */
export interface WrittenRow {
  readonly id: string;
  readonly before: RowState | null;
  readonly data: Members;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function rowWritten(schema: TableSchema, { id, before, data, createdAt, updatedAt }: WrittenRow): NewEvent {
  const isWhole = before === null || schema.history === 'off' || asJsonObjectText(before.data) === null;
  const body: Members = isWhole ? new Map([['data', joinMembers(data)]]) : diffRow(membersOfRow(before), data);
  if (isWhole || createdAt !== before.createdAt) body.set('created_at', jsonText(createdAt));
  body.set('updated_at', jsonText(updatedAt));
  return rowEvent(before === null ? 'row.created' : 'row.updated', id, marked(schema, body));
}

export function rowDeleted(schema: TableSchema, id: string): NewEvent {
  return rowEvent('row.deleted', id, marked(schema, new Map()));
}

export interface Restoration {
  readonly id: string;
  readonly data: Members;
  /** The history version that is brought back. */
  readonly fromVersion: number;
  /** Unix seconds; used when the row is gone. */
  readonly createdAt: number;
}

/** A row brought back to an earlier state: a change of the live row, or the whole of a deleted one. */
export function rowRestored(before: RowState | null, restoration: Restoration): NewEvent {
  const { id, data, fromVersion, createdAt } = restoration;
  const body: Members = new Map([['from_version', jsonText(fromVersion)]]);
  if (before === null) {
    body.set('data', joinMembers(data)).set('created_at', jsonText(createdAt));
  } else {
    for (const [key, value] of diffRow(membersOfRow(before), data)) body.set(key, value);
  }
  return rowEvent('row.restored', id, body);
}

/** Events of a table without history say so, so that a replay leaves no entries either. */
function marked(schema: TableSchema, body: Members): Members {
  return schema.history === 'off' ? body.set('history', jsonText('off')) : body;
}

function rowEvent(type: string, rowId: string, members: Members): NewEvent {
  return { type, version: currentVersion(type), rowId, body: joinMembers(members), members };
}
