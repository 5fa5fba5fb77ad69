/** An event log over a real file with `rows` as its projection and whatever a test puts beside it. */
import { join } from 'node:path';
import { type Connection, openDatabase } from '../../src/events/database.js';
import type { Command, CommandTransaction } from '../../src/events/event-log.js';
import type { InlineProjection, RowStates } from '../../src/events/inline-projection.js';
import { SqliteEventLog } from '../../src/events/sqlite-event-log.js';
import type { Caller, NewEvent } from '../../src/events/types.js';
import type { WriterLimits } from '../../src/events/writer.js';
import { RowsProjection } from '../../src/projections/rows/project.js';
import { SqliteRowQueries } from '../../src/projections/rows/sqlite-row-queries.js';
import type { JsonText } from '../../src/schema/json.js';

export const tester: Caller = { actor: 'tester', origin: { tool: 'test', session: 'test' } };

export interface OpenLogOptions {
  readonly limits?: WriterLimits;
  readonly beside?: (connection: Connection) => readonly InlineProjection[];
  readonly now?: () => number;
}

export interface OpenLog {
  readonly log: SqliteEventLog;
  readonly connection: Connection;
  readonly rows: SqliteRowQueries;
  /** Runs one command. */
  run<T>(decide: (tx: CommandTransaction) => T, command?: Partial<Command<T>>): Promise<T>;
  close(): Promise<void>;
}

export function openLog(directory: string, options: OpenLogOptions = {}): OpenLog {
  const { connection } = openDatabase(join(directory, 'table.db'));
  const rows = new SqliteRowQueries(connection);
  const states: RowStates = { get: (id) => rows.get(id), lastVersion: () => 0 };
  const projections = [new RowsProjection(connection), ...(options.beside?.(connection) ?? [])];
  const { limits, now = () => 1_760_000_000_000 } = options;
  const log = new SqliteEventLog({ connection, states, projections, now, ...(limits === undefined ? {} : { limits }) });
  return {
    log,
    connection,
    rows,
    run: async (decide, command = {}) => (await log.append({ caller: tester, ...command, decide })).result,
    close: async () => {
      await log.close();
      connection.close();
    },
  };
}

export function created(rowId: string, data: object = {}): NewEvent {
  return rowEvent('row.created', rowId, { data });
}

export function updated(rowId: string, set: object): NewEvent {
  return rowEvent('row.updated', rowId, { set });
}

export function deleted(rowId: string): NewEvent {
  return rowEvent('row.deleted', rowId, {});
}

export function rowEvent(type: string, rowId: string, body: object): NewEvent {
  return { type, version: 1, rowId, body: JSON.stringify(body) as JsonText };
}
