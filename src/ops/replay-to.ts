/**
 * `replay --to`: a table as it was at an event or a time, as a database file of its own: the log word for word up to there,
 * and what the same projections make of it.
 */
import { existsSync, linkSync, rmSync } from 'node:fs';
import { StoreError } from '../errors.js';
import { upcast } from '../events/catalogue.js';
import { type Connection, openDatabase } from '../events/database.js';
import { EventRows } from '../events/event-rows.js';
import { storageError } from '../events/storage-error.js';
import { AliasesProjection } from '../projections/aliases/project.js';
import { tableAliases } from '../projections/aliases/queries.js';
import { replay } from '../projections/replay.js';
import { HistoryRows, liveTables } from '../projections/row-history/history-rows.js';
import { RowHistoryProjection } from '../projections/row-history/project.js';
import type { OperatedTable, WorkOptions } from './operated-table.js';
import { copyEarlier } from './replay/copy-earlier.js';
import { ForeignHistory, insertForeign } from './replay/foreign-history.js';
import { type Point, resolvePoint } from './replay/point.js';
import { ReplayedRows } from './replay/replayed-rows.js';
import { rollBacklog } from './replay/roll-backlog.js';
import { type Snapshot, withSnapshot } from './replay/snapshot.js';

export interface ReplayToOptions extends WorkOptions {
  readonly to: Point;
  /** The file to create. */
  readonly out: string;
}

export interface ReplayedTo {
  readonly table: string;
  readonly seq: number;
  readonly rows: number;
  readonly out: string;
}

/** @throws StoreError IO_ERROR when the file exists, VALIDATION_ERROR, UNKNOWN_EVENT, CORRUPT_LOG. */
export async function replayTo(table: OperatedTable, options: ReplayToOptions): Promise<ReplayedTo> {
  const { out } = options;
  assertNew(out);
  const unfinished = `${out}.${process.pid}.tmp`;
  try {
    const result = await withSnapshot(table.database.path, async (snapshot) => {
      const seq = resolvePoint(snapshot.connection, options.to, snapshot.head.seq);
      return { table: table.name, seq, rows: await writeFile(snapshot, table, seq, unfinished, options), out };
    });
    // A link, unlike a rename, never replaces what somebody put there meanwhile.
    linkSync(unfinished, out);
    return result;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw exists();
    throw storageError(error);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(unfinished + suffix, { force: true });
  }
}

async function writeFile(
  snapshot: Snapshot,
  table: OperatedTable,
  seq: number,
  path: string,
  options: WorkOptions,
): Promise<number> {
  const { connection } = openDatabase(path);
  try {
    connection.pragma('synchronous = OFF');
    await copyEarlier(snapshot.connection, connection);
    await fill(snapshot, connection, table, seq, options);
    // The triggers take an imported row without any history for a foreign one.
    connection.exec('DELETE FROM _foreign_writes');
    connection.pragma('wal_checkpoint(TRUNCATE)');
    return connection.prepare<[], number>('SELECT count(*) FROM rows').pluck().get() ?? 0;
  } finally {
    connection.close();
  }
}

async function fill(snapshot: Snapshot, target: Connection, table: OperatedTable, seq: number, options: WorkOptions) {
  const { historyName, archive } = table.database;
  const events = new EventRows(target);
  const rows = new ReplayedRows(target, 'rows');
  const history = new RowHistoryProjection(target, historyName, archive, liveTables, false);
  const aliases = new AliasesProjection(target, tableAliases);
  const historyRows = new HistoryRows(target, historyName);
  const foreign = await ForeignHistory.read(snapshot.connection);
  const transact = async (write: () => void) => target.transaction(write).immediate();
  await replay({
    log: snapshot.log,
    from: 0,
    to: seq,
    apply: async (batch) => {
      const touched = new Set<string>();
      await transact(() => {
        for (const event of batch) {
          events.insert(event);
          const change = rows.apply(event);
          if (change === null) {
            history.applyTableEvent(event);
            aliases.applyTableEvent(upcast(event));
          } else {
            insertForeign(target, liveTables.raw, foreign.before(event) ?? []);
            history.apply(change);
          }
          if (event.rowId !== null) touched.add(event.rowId);
        }
      });
      for (const id of touched) await rollBacklog(historyRows, id, archive, transact);
    },
    onProgress: ({ position }) => options.onProgress?.({ done: position, total: seq }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

function assertNew(path: string): void {
  if (existsSync(path)) throw exists();
}

function exists(): StoreError<'IO_ERROR'> {
  const detail = 'the output file exists already';
  return new StoreError('IO_ERROR', { detail }, { hint: 'Give --out the name of a file that does not exist yet.' });
}
