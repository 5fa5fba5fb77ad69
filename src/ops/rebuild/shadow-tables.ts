/** The tables a rebuild fills beside the live ones, and the swap of the one for the other. */
import type { Connection } from '../../events/database.js';
import { indexStatements, rowTriggers, tableStatement } from '../../events/migrate.js';
import type { HistoryTables } from '../../projections/row-history/history-rows.js';

export const shadowRows = '_shadow_rows';
export const shadowHistory: HistoryTables = { raw: '_shadow_row_history', archive: '_shadow_row_history_archive' };

const shadowOf = new Map([
  ['rows', shadowRows],
  ['_row_history', shadowHistory.raw],
  ['_row_history_archive', shadowHistory.archive],
]);

/** Another process may hold on to ids of raw entries for a moment; those of a rebuilt table are out of their reach. */
const idReserve = 1_000_000;

export function createShadows(connection: Connection): void {
  dropShadows(connection);
  for (const [live, shadow] of shadowOf) connection.exec(tableStatement(live, shadow));
  connection.exec(`CREATE UNIQUE INDEX _shadow_version ON ${shadowHistory.raw} (table_name, row_id, version);
    CREATE INDEX _shadow_archive ON ${shadowHistory.archive} (table_name, row_id, version_start)`);
  connection
    .prepare(
      `INSERT INTO sqlite_sequence (name, seq)
       SELECT ?, coalesce((SELECT seq FROM sqlite_sequence WHERE name = '_row_history'), 0) + ${idReserve}`,
    )
    .run(shadowHistory.raw);
}

export function dropShadows(connection: Connection): void {
  for (const shadow of shadowOf.values()) connection.exec(`DROP TABLE IF EXISTS ${shadow}`);
}

export function haveShadows(connection: Connection): boolean {
  const sql = `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (SELECT value FROM json_each(?))`;
  const found = connection
    .prepare<[string], number>(sql)
    .pluck()
    .get(JSON.stringify([...shadowOf.values()]));
  return found === shadowOf.size;
}

/** Puts the shadow in the place of `rows`, inside the open transaction. */
export function swapRows(connection: Connection): void {
  swap(connection, 'rows');
  for (const trigger of rowTriggers()) connection.exec(trigger);
}

/** Puts the shadows in the place of both tiers of the history, inside the open transaction. */
export function swapHistory(connection: Connection): void {
  connection.exec('DROP INDEX IF EXISTS _shadow_version; DROP INDEX IF EXISTS _shadow_archive');
  swap(connection, '_row_history');
  swap(connection, '_row_history_archive');
}

function swap(connection: Connection, live: string): void {
  const shadow = shadowOf.get(live);
  connection.exec(`DROP TABLE ${live}; ALTER TABLE ${shadow} RENAME TO ${live}`);
  for (const index of indexStatements(live)) connection.exec(index);
}
