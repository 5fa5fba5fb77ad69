/** A position in a log, as an operator writes it: a sequence number or a time. */
import { StoreError } from '../../errors.js';
import type { Connection } from '../../events/database.js';

/** `beforeMs`: everything recorded before this time (Unix milliseconds, exclusive). */
export type Point = { readonly seq: number } | { readonly beforeMs: number };

/** Whole numbers from here on are Unix seconds: no log has a thousand million events, and no event is older than 2001. */
const firstSecond = 1_000_000_000;

/**
 * Reads `1234` as a sequence number, `1760000000` as Unix seconds, `2026-01-31T12:00:00Z` as ISO 8601 (without a zone:
 * local time; a date alone: its midnight in UTC). A time given in whole seconds includes that second.
 * @throws StoreError VALIDATION_ERROR.
 */
export function parsePoint(text: string, field = 'to'): Point {
  if (/^\d+$/.test(text)) {
    const number = Number(text);
    return number < firstSecond ? { seq: number } : { beforeMs: (number + 1) * 1000 };
  }
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) {
    const reason = 'expected a sequence number, Unix seconds or an ISO 8601 time such as 2026-01-31T12:00:00Z';
    throw new StoreError('VALIDATION_ERROR', { field, reason });
  }
  return { beforeMs: /[.,]\d/.test(text) ? ms + 1 : ms + 1000 };
}

/**
 * The sequence number of the newest event at a point whose state the log can tell.
 * @throws StoreError VALIDATION_ERROR for one after the head, before the adoption of an older database, or in a part that
 *   was compacted.
 */
export function resolvePoint(connection: Connection, point: Point, head: number): number {
  const seq = 'seq' in point ? point.seq : newestBefore(connection, point.beforeMs);
  if (seq > head) throw outside(`the newest event is ${head}`);
  const first = firstTellable(connection);
  if (seq < first.seq) throw outside(`the states before event ${first.seq} are not in the log: ${first.because}`);
  return seq;
}

/** A clock that went back may leave younger numbers with older times; the whole of the log up to the newest counts. */
export function newestBefore(connection: Connection, ms: number): number {
  const sql = 'SELECT coalesce(max(seq), 0) FROM _events WHERE at_ms < ?';
  return connection.prepare<[number], number>(sql).pluck().get(ms) ?? 0;
}

function firstTellable(connection: Connection): { seq: number; because: string } {
  const compacted = `SELECT max(seq) FROM _events WHERE row_id IS NULL AND type = 'log.compacted'`;
  const adopted = `SELECT max(seq + json_extract(body, '$.rows')) FROM _events
    WHERE row_id IS NULL AND type = 'table.adopted'`;
  const read = (sql: string) => connection.prepare<[], number | null>(sql).pluck().get() ?? 0;
  const cut = read(compacted);
  if (cut > 0) return { seq: cut, because: 'it was compacted' };
  return { seq: read(adopted), because: 'an older database was adopted there' };
}

function outside(reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError(
    'VALIDATION_ERROR',
    { field: 'to', reason },
    { hint: 'mini-app-mcp log TABLE shows the events.' },
  );
}
