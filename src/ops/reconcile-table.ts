/** `reconcile`: records what somebody wrote into `rows` past the log, noted or not, as events of nobody known (rulings 3.10). */
import type { ForeignOp } from '../events/command-transaction.js';
import type { Caller } from '../events/types.js';
import { type OperatedTable, type WorkOptions, withDatabase } from './operated-table.js';
import { rowDifferences } from './replay/compare-rows.js';
import { replayedTable, replayRows } from './replay/replay-rows.js';
import { withSnapshot } from './replay/snapshot.js';

export interface ReconcileOptions extends WorkOptions {
  readonly caller: Caller;
  readonly dryRun?: boolean | undefined;
}

export interface Reconciled {
  readonly table: string;
  readonly dry_run: boolean;
  /** What somebody had done, as recorded: one event per row. */
  readonly rows: readonly { readonly id: string; readonly op: ForeignOp }[];
}

/** @throws StoreError UNKNOWN_EVENT, CORRUPT_LOG, BUSY, TABLE_READ_ONLY. */
export async function reconcileTable(table: OperatedTable, options: ReconcileOptions): Promise<Reconciled> {
  const found = await foreignRows(table, options);
  const dryRun = options.dryRun ?? false;
  const rows = dryRun ? found.filter((row) => row.op !== null).map(stated) : await record(table, found, options);
  return { table: table.name, dry_run: dryRun, rows };
}

/** A row that is not as the log has it; null: as the log has it, but noted. */
interface Foreign {
  readonly id: string;
  readonly op: ForeignOp | null;
}

const ops = { missing: 'delete', extra: 'create', changed: 'update' } as const;

async function foreignRows(table: OperatedTable, options: WorkOptions): Promise<Foreign[]> {
  return withSnapshot(table.database.path, async (snapshot) => {
    const { connection } = snapshot;
    await replayRows(snapshot, options);
    const found = new Map<string, Foreign>();
    for (const { id, kind } of rowDifferences(connection, 'main.rows', replayedTable)) {
      if (id !== null) found.set(id, { id, op: ops[kind] });
    }
    for (const { id, op } of connection.prepare<[], Foreign>(noted).all())
      if (!found.has(id)) found.set(id, { id, op });
    return [...found.values()];
  });
}

/** Noted rows; of one that is as the log has it, history that somebody kept of changes in between is recorded all the same. */
const noted = `SELECT f.row_id AS id, CASE
    WHEN NOT EXISTS (SELECT 1 FROM _row_history h WHERE h.row_id = f.row_id AND h.version >
      coalesce((SELECT max(row_version) FROM _events e WHERE e.row_id = f.row_id), 0)) THEN NULL
    WHEN EXISTS (SELECT 1 FROM main.rows r WHERE r.id = f.row_id) THEN 'update'
    ELSE 'delete' END AS op
  FROM _foreign_writes f ORDER BY f.rowid`;

/** Rows of one command. */
const batchSize = 1000;

/** Each row is compared with its own log again under the write lock, so what changed meanwhile is seen as it is. */
async function record(table: OperatedTable, found: readonly Foreign[], options: ReconcileOptions) {
  return withDatabase(table, async ({ log }) => {
    const recorded: { id: string; op: ForeignOp }[] = [];
    for (let at = 0; at < found.length; at += batchSize) {
      options.signal?.throwIfAborted();
      const batch = found.slice(at, at + batchSize);
      const { result } = await log.append({
        caller: options.caller,
        decide: (tx) => batch.map(({ id }) => ({ id, op: tx.reconcile(id) })),
      });
      for (const { id, op } of result) if (op !== null) recorded.push({ id, op });
    }
    return recorded;
  });
}

function stated({ id, op }: Foreign): { id: string; op: ForeignOp } {
  return { id, op: op ?? 'update' };
}
