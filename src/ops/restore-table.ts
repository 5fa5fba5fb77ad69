/**
 * `restore-table`: brings every row of a table back to what it was at an event or a time, by compensating events in one
 * atomic command. It removes nothing from the log, so it can be undone the same way.
 */
import { currentVersion } from '../events/catalogue.js';
import type { CommandTransaction } from '../events/event-log.js';
import { EventRows } from '../events/event-rows.js';
import { rowChange, wholeRow } from '../events/foreign-writes.js';
import type { Caller, NewEvent, RowState } from '../events/types.js';
import { joinMembers, jsonText, type Members } from '../schema/json.js';
import type { TableSchema } from '../schema/table-schema.js';
import type { TableDatabase } from '../tables/table-database.js';
import { type OperatedTable, type WorkOptions, withDatabase } from './operated-table.js';
import { type Point, resolvePoint } from './replay/point.js';
import { replayedTable, replayRows } from './replay/replay-rows.js';
import type { ReplayedRows } from './replay/replayed-rows.js';
import { type Snapshot, withSnapshot } from './replay/snapshot.js';
import { rowDeleted } from './row-events.js';

export interface RestoreTableOptions extends WorkOptions {
  readonly caller: Caller;
  readonly to: Point;
  readonly dryRun?: boolean | undefined;
}

export interface TableRestored {
  readonly table: string;
  /** The event whose state was restored. */
  readonly to: number;
  readonly dry_run: boolean;
  /** Rows that differed and exist in both states; rows that came back; rows that did not exist then. */
  readonly changed: number;
  readonly returned: number;
  readonly deleted: number;
}

/** @throws StoreError VALIDATION_ERROR for a point the log cannot tell, UNKNOWN_EVENT, CORRUPT_LOG, BUSY. */
export async function restoreTable(table: OperatedTable, options: RestoreTableOptions): Promise<TableRestored> {
  return withDatabase(table, (database) =>
    withSnapshot(table.database.path, async (snapshot) => {
      const to = resolvePoint(snapshot.connection, options.to, snapshot.head.seq);
      const target = await replayRows(snapshot, { ...options, to });
      const restoration = new Restoration(table.schema, snapshot, target);
      const counts = options.dryRun === true ? restoration.plan() : await restoration.run(database, options.caller);
      return { table: table.name, to, dry_run: options.dryRun === true, ...counts };
    }),
  );
}

type Kind = 'changed' | 'returned' | 'deleted';
type Counts = Record<Kind, number>;

class Restoration {
  constructor(
    private readonly schema: TableSchema,
    private readonly snapshot: Snapshot,
    private readonly target: ReplayedRows,
  ) {}

  plan(): Counts {
    const get = this.snapshot.connection.prepare<[string], number>('SELECT 1 FROM main.rows WHERE id = ?').pluck();
    return tally(
      this.#differing().map((id) => {
        if (this.target.state(id) === null) return 'deleted';
        return get.get(id) === undefined ? 'returned' : 'changed';
      }),
    );
  }

  async run({ log, connection }: TableDatabase, caller: Caller): Promise<Counts> {
    const events = new EventRows(connection);
    const differing = this.#differing();
    const { result } = await log.append({
      caller,
      decide: (tx) => {
        const ids = new Set(differing);
        // What others wrote since the snapshot is compared as well.
        for (const id of touchedSince(events, this.snapshot.head.seq)) ids.add(id);
        return tally([...ids].map((id) => this.#restore(id, tx)));
      },
    });
    return result;
  }

  #differing(): string[] {
    // Rows that come back do so in their order.
    const sql = `SELECT id FROM (SELECT r.id, r.rowid AS place FROM ${replayedTable} r LEFT JOIN main.rows l ON l.id = r.id
        WHERE l.id IS NULL OR l.data IS NOT r.data OR l.created_at IS NOT r.created_at
      UNION ALL SELECT l.id, 0 FROM main.rows l WHERE l.id NOT IN (SELECT id FROM ${replayedTable})) ORDER BY place`;
    return this.snapshot.connection.prepare<[], string>(sql).pluck().all();
  }

  #restore(id: string, tx: CommandTransaction): Kind | null {
    const now = tx.row(id);
    const then = this.target.state(id);
    if (then === null) {
      if (now === null) return null;
      tx.append(rowDeleted(this.schema, id));
      return 'deleted';
    }
    if (now?.data === then.data && now.createdAt === then.createdAt) return null;
    tx.append(restored(now, then, this.schema.history));
    return now === null ? 'returned' : 'changed';
  }
}

function restored(now: RowState | null, then: RowState, history: TableSchema['history']): NewEvent {
  const body: Members = new Map([['from_version', jsonText(then.version)]]);
  const change = now === null ? wholeRow(then.data) : rowChange(now, then, history);
  for (const [key, value] of change) body.set(key, value);
  if (now?.createdAt !== then.createdAt || history === 'off') body.set('created_at', jsonText(then.createdAt));
  if (history === 'off') body.set('history', jsonText('off'));
  const type = 'row.restored';
  return { type, version: currentVersion(type), rowId: then.id, body: joinMembers(body) };
}

function touchedSince(events: EventRows, seq: number): Set<string> {
  const ids = new Set<string>();
  for (let page = events.after(seq, 1000); page.length > 0; page = events.after(page.at(-1)?.seq ?? 0, 1000)) {
    for (const { rowId } of page) if (rowId !== null) ids.add(rowId);
  }
  return ids;
}

function tally(kinds: readonly (Kind | null)[]): Counts {
  const counts: Counts = { changed: 0, returned: 0, deleted: 0 };
  for (const kind of kinds) if (kind !== null) counts[kind]++;
  return counts;
}
