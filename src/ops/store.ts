/** What every op works on: the mounted tables, a clock and a source of ids. Both come in so that deciding is pure. */
import type { RowState } from '../events/types.js';
import { asJsonObjectText, type JsonText, RawJson } from '../schema/json.js';
import type { Registry } from '../tables/table.js';

export interface Store {
  readonly registry: Registry;
  /** Unix milliseconds. */
  now(): number;
  /** A fresh UUID v4, lower case. */
  newId(): string;
  /** How the configured plugins are doing; absent where there are none. */
  plugins?(): readonly PluginReport[];
}

/** A plugin as `info` shows it. */
export interface PluginReport {
  readonly plugin: string;
  readonly version?: string;
  readonly mode: string;
  readonly state: string;
  readonly error?: string;
}

/** A row as tools answer with it. Keys stand in this order on the wire; times are Unix seconds. */
export interface RowRecord {
  readonly id: string;
  readonly data: RawJson;
  readonly created_at: number;
  readonly updated_at: number;
  readonly version: number;
  /** Present when somebody stored what is no JSON object; `data` is empty then. */
  readonly unreadable?: true;
  /** Present when the answer is that of an earlier call with the same idempotency key. */
  readonly replayed?: true;
}

/**
 * A stored row as a record, its data cut to the fields asked for. What somebody wrote past the log may be no JSON; it must
 * not reach the wire, where it would break the whole message.
 */
export function rowRecord(row: RowState, select: (data: JsonText) => JsonText = (data) => data): RowRecord {
  if (asJsonObjectText(row.data) !== null) return recordOf(row, select(row.data));
  return { ...recordOf(row, '{}' as JsonText), unreadable: true };
}

/** A row that a command has just written, as a record: its data is known to be an object. */
export function writtenRecord(row: RowState): RowRecord {
  return recordOf(row, row.data);
}

function recordOf(row: RowState, data: JsonText): RowRecord {
  return {
    id: row.id,
    data: new RawJson(data),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    version: row.version,
  };
}
