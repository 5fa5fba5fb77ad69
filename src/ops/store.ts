/** What every op works on: the mounted tables, a clock and a source of ids. Both come in so that deciding is pure. */
import type { RowState } from '../events/types.js';
import { RawJson } from '../schema/json.js';
import type { Registry } from '../tables/table.js';

export interface Store {
  readonly registry: Registry;
  /** Unix milliseconds. */
  now(): number;
  /** A fresh UUID v4, lower case. */
  newId(): string;
}

/** A row as tools answer with it. Keys stand in this order on the wire; times are Unix seconds. */
export interface RowRecord {
  readonly id: string;
  readonly data: RawJson;
  readonly created_at: number;
  readonly updated_at: number;
  readonly version: number;
  /** Present when the answer is that of an earlier call with the same idempotency key. */
  readonly replayed?: true;
}

export function rowRecord(row: RowState): RowRecord {
  return {
    id: row.id,
    data: new RawJson(row.data),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    version: row.version,
  };
}
