/** `log`: the events of a table, newest last, each with what it changed in a few words. */
import { StoreError } from '../errors.js';
import { openReader } from '../events/database.js';
import { EventRows } from '../events/event-rows.js';
import { storageError } from '../events/storage-error.js';
import type { StoredEvent } from '../events/types.js';
import { eventSummary } from './event-summary.js';
import type { OperatedTable } from './operated-table.js';
import { newestBefore, type Point } from './replay/point.js';

export interface ShowLogOptions {
  /** The id of a row or the start of it. */
  readonly row?: string | undefined;
  /** Events after this; without it, the newest. */
  readonly since?: Point | undefined;
  /** Default 50. */
  readonly limit?: number | undefined;
}

export interface LogEntry {
  readonly seq: number;
  readonly commit: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly actor: string;
  readonly tool: string;
  readonly type: string;
  readonly row: string | null;
  readonly row_version: number | null;
  /** The change in a few words: fields set, removed, spliced. */
  readonly summary: string;
  readonly origin: unknown;
  readonly body: unknown;
  readonly hash: string;
}

/** Oldest first. @throws StoreError NOT_FOUND when no event has such a row, STORAGE_ERROR. */
export function showLog(table: OperatedTable, options: ShowLogOptions = {}): LogEntry[] {
  const connection = openReader(table.database.path);
  try {
    const events = new EventRows(connection);
    const limit = options.limit ?? 50;
    const from = options.since === undefined ? null : startOf(connection, options.since);
    if (options.row !== undefined) {
      const ofRow = rowsWith(connection, options.row).flatMap((id) => events.ofRow(id));
      return ofRow
        .filter((event) => event.seq > (from ?? 0))
        .sort(bySeq)
        .slice(...page(from, limit))
        .map(entryOf);
    }
    const start = from ?? nthNewest(connection, limit);
    return events.after(start, limit).map(entryOf);
  } catch (error) {
    throw storageError(error);
  } finally {
    connection.close();
  }
}

type Connection = ReturnType<typeof openReader>;

function startOf(connection: Connection, since: Point): number {
  return 'seq' in since ? since.seq : newestBefore(connection, since.beforeMs - 1000);
}

function page(from: number | null, limit: number): [start: number, end?: number] {
  if (from !== null) return [0, limit];
  return limit === 0 ? [0, 0] : [-limit];
}

function bySeq(a: StoredEvent, b: StoredEvent): number {
  return a.seq - b.seq;
}

/** The position before the newest so many events. */
function nthNewest(connection: Connection, limit: number): number {
  const sql = 'SELECT seq FROM _events ORDER BY seq DESC LIMIT 1 OFFSET ?';
  return connection.prepare<[number], number>(sql).pluck().get(limit) ?? 0;
}

function rowsWith(connection: Connection, prefix: string): string[] {
  const sql = `SELECT DISTINCT row_id FROM _events WHERE row_id IS NOT NULL AND row_id LIKE ? ESCAPE '\\'`;
  const pattern = `${prefix.replace(/[\\%_]/g, '\\$&')}%`;
  const ids = connection.prepare<[string], string>(sql).pluck().all(pattern);
  if (ids.length === 0)
    throw new StoreError('NOT_FOUND', { id: prefix }, { hint: 'mini-app-mcp log TABLE shows the ids.' });
  return ids;
}

function entryOf(event: StoredEvent): LogEntry {
  const origin = JSON.parse(event.origin) as { tool?: string };
  return {
    seq: event.seq,
    commit: event.commit,
    at: event.at,
    actor: event.actor,
    tool: origin.tool ?? '',
    type: event.type,
    row: event.rowId,
    row_version: event.rowVersion,
    summary: eventSummary(event),
    origin,
    body: JSON.parse(event.body),
    hash: event.hash,
  };
}
