/** Removes the events of a table without history that a later event of the same row made superfluous (rulings 3.8). */
import { createHash } from 'node:crypto';
import { currentVersion } from '../../events/catalogue.js';
import type { Connection } from '../../events/database.js';
import { eventTriggers } from '../../events/migrate.js';
import type { Caller } from '../../events/types.js';
import { jsonText } from '../../schema/json.js';
import type { TableDatabase } from '../../tables/table-database.js';

/**
 * Runs as one command, recorded as `log.compacted`. Idempotency keys live as long as the event that carries them.
 * @returns how many events were removed. @throws StoreError BUSY.
 */
export async function compactLog({ connection, log }: TableDatabase, caller: Caller): Promise<number> {
  const { result } = await log.append({
    caller,
    decide: (tx) => {
      markSuperfluous(connection);
      const removed = scalar(connection, 'SELECT count(*) FROM temp.superfluous');
      if (removed === 0) return 0;
      const { upto, hash } = lastSuperfluous(connection);
      removeSuperfluous(connection);
      const type = 'log.compacted';
      const body = jsonText({ upto, hash, removed, kept: digestUpTo(connection, upto) });
      tx.append({ type, version: currentVersion(type), rowId: null, body });
      return removed;
    },
  });
  return result;
}

/** An event that a replay can begin a row with, to the byte and without a history entry that needs what was before. */
const standsAlone = `CASE
  WHEN type IN ('row.created', 'row.imported') THEN 1
  WHEN json_type(body, '$.history') IS NULL THEN 0
  WHEN type = 'row.deleted' THEN 1
  WHEN type = 'row.reconciled' AND json_extract(body, '$.op') = 'delete' THEN 1
  WHEN type IN ('row.updated', 'row.restored', 'row.reconciled') THEN json_type(body, '$.created_at') IS NOT NULL
    AND (json_type(body, '$.data') IS NOT NULL OR json_type(body, '$.text') IS NOT NULL)
  ELSE 0 END`;

function markSuperfluous(connection: Connection): void {
  connection.exec(`DROP TABLE IF EXISTS temp.superfluous;
    CREATE TABLE temp.superfluous AS SELECT e.seq AS seq FROM _events e JOIN
      (SELECT row_id, max(seq) AS seq FROM _events WHERE row_id IS NOT NULL AND ${standsAlone} GROUP BY row_id) last
      ON last.row_id = e.row_id WHERE e.seq < last.seq`);
}

function lastSuperfluous(connection: Connection): { upto: number; hash: string } {
  const sql = 'SELECT seq, hash FROM _events WHERE seq = (SELECT max(seq) FROM temp.superfluous)';
  const row = connection.prepare<[], { seq: number; hash: Buffer }>(sql).get();
  return { upto: row?.seq ?? 0, hash: row?.hash.toString('hex') ?? '' };
}

/** The only place where events go: nobody else sees the log without its triggers, as all is one transaction. */
function removeSuperfluous(connection: Connection): void {
  connection.exec(`DROP TRIGGER _events_refuse_delete;
    DELETE FROM _events WHERE seq IN (SELECT seq FROM temp.superfluous); DROP TABLE temp.superfluous`);
  for (const trigger of eventTriggers()) if (/TRIGGER `_events_refuse_delete`/.test(trigger)) connection.exec(trigger);
}

function digestUpTo(connection: Connection, upto: number): string {
  const digest = createHash('sha256');
  const hashes = connection.prepare<[number], Buffer>('SELECT hash FROM _events WHERE seq <= ? ORDER BY seq').pluck();
  for (const hash of hashes.iterate(upto)) digest.update(hash.toString('hex'));
  return digest.digest('hex');
}

function scalar(connection: Connection, sql: string): number {
  return connection.prepare<[], number>(sql).pluck().get() ?? 0;
}
