/** Where `rows` and its replay differ, both ways, by SQL. */
import type { Connection } from '../../events/database.js';

export interface RowDifference {
  readonly id: string | null;
  /** `missing`: only the replay has the row; `extra`: only `rows` has it; `changed`: named columns differ. */
  readonly kind: 'missing' | 'extra' | 'changed';
  readonly columns: readonly string[];
}

interface Found {
  id: string | null;
  kind: RowDifference['kind'];
  data: number;
  created_at: number;
  updated_at: number;
  version: number;
}

const compared = ['data', 'created_at', 'updated_at', 'version'] as const;

/**
 * Whether both hold the same rows at the same places, as they do unless somebody else wrote or rewrote the file: one pass
 * over both side by side. When not, the differences still have to be looked for.
 */
export function areIdenticalRows(connection: Connection, live: string, replayed: string): boolean {
  const differs = ['id', ...compared].map((column) => `l.${column} IS NOT r.${column}`).join(' OR ');
  const sql = `SELECT (SELECT count(*) FROM ${live}) = (SELECT count(*) FROM ${replayed}) AND NOT EXISTS
    (SELECT 1 FROM ${live} l LEFT JOIN ${replayed} r ON r.rowid = l.rowid WHERE ${differs})`;
  return connection.prepare<[], number>(sql).pluck().get() === 1;
}

/** Every difference, missing rows first. Stop reading early when the first is enough. */
export function* rowDifferences(connection: Connection, live: string, replayed: string): Generator<RowDifference> {
  for (const found of connection.prepare<[], Found>(differencesSql(live, replayed)).iterate()) {
    yield { id: found.id, kind: found.kind, columns: compared.filter((column) => found[column] === 1) };
  }
}

/** The first row that stands in another order among the others than the replay has it; null when there is none. */
export function firstMisplaced(connection: Connection, live: string, replayed: string): string | null {
  const sql = `SELECT id FROM (SELECT l.id AS id, r.rowid AS place, lag(r.rowid) OVER (ORDER BY l.rowid) AS before
    FROM ${live} l JOIN ${replayed} r ON r.id = l.id) WHERE place < before LIMIT 1`;
  return connection.prepare<[], string>(sql).pluck().get() ?? null;
}

function differencesSql(live: string, replayed: string): string {
  const flags = compared.map((column) => `l.${column} IS NOT r.${column} AS ${column}`).join(', ');
  const none = compared.map((column) => `0 AS ${column}`).join(', ');
  return `SELECT r.id AS id, 'missing' AS kind, ${none} FROM ${replayed} r WHERE NOT EXISTS
      (SELECT 1 FROM ${live} l WHERE l.id = r.id)
    UNION ALL SELECT l.id, 'extra', ${none} FROM ${live} l WHERE NOT EXISTS
      (SELECT 1 FROM ${replayed} r WHERE r.id = l.id)
    UNION ALL SELECT l.id, 'changed', ${flags} FROM ${live} l JOIN ${replayed} r ON r.id = l.id
      WHERE ${compared.map((column) => `l.${column} IS NOT r.${column}`).join(' OR ')}`;
}
