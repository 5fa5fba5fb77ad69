/** What every op that changes a row has in common: the idempotency key, the version check, waiting for the markdown. */
import { createHash } from 'node:crypto';
import { StoreError } from '../errors.js';
import type { CommandTransaction, Idempotency } from '../events/event-log.js';
import type { Caller, RowState } from '../events/types.js';
import type { RowQueries } from '../projections/rows/queries.js';
import { canonicalJson } from '../schema/canonical-json.js';
import type { JsonValue } from '../schema/json.js';
import type { TableSchema } from '../schema/table-schema.js';
import type { Table } from '../tables/table.js';
import { type RowRecord, rowRecord, writtenRecord } from './store.js';

/** Arguments that every writing tool accepts (rulings 3.6). */
export interface WriteArguments {
  readonly idempotency_key?: string | undefined;
  readonly expected_version?: number | undefined;
}

/** What a step of a command works on, inside the command's transaction. */
export interface CommandParts {
  readonly tx: CommandTransaction;
  readonly rows: RowQueries;
  readonly schema: TableSchema;
}

export interface Write<T> {
  readonly table: Table;
  readonly caller: Caller;
  /** The op's name and its arguments: what a repeated key must come with again. */
  readonly op: string;
  readonly input: WriteArguments;
  /** Whether `decide` reads schema.yaml itself, as what changes it does. */
  readonly readsSchema?: boolean;
  decide(tx: CommandTransaction): T;
}

/** The schema that a command would decide by is not the present one any more. */
export class SchemaMoved extends Error {}

/**
 * Runs an op that looks its table up, once more when another process changes the schema between that and the write lock.
 * @throws StoreError BUSY when that happens again and again.
 */
export async function withPresentSchema<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof SchemaMoved)) throw error;
    }
  }
  throw new StoreError('BUSY', { retry_after_ms: 200 });
}

const mostAttempts = 5;

/** Runs a command whose result is a row. A repeated key answers with the row as the first call left it. */
export async function writeRow(write: Write<RowState>): Promise<RowRecord> {
  const { result, replayed } = await runWrite(write, {
    remember: (row) => ({ row: row.id, version: row.version }),
    recall: (kept, tx) => recallRow(kept, tx),
  });
  return replayed ? { ...rowRecord(result), replayed: true } : writtenRecord(result);
}

/** Runs any command, and waits until the markdown of its rows is written. */
export async function runWrite<T>(
  write: Write<T>,
  memory: Pick<Idempotency<T>, 'remember' | 'recall'>,
): Promise<{ result: T; replayed: boolean }> {
  const opened = write.table.open();
  const key = write.input.idempotency_key;
  const { result, replayed, seq } = await opened.log.append<T>({
    caller: write.caller,
    idempotency: key === undefined ? undefined : { key, digest: digestOf(write), ...memory },
    decide: (tx) => {
      // Under the write lock nobody else changes the schema.
      if (write.readsSchema !== true && opened.hasNewSchema()) throw new SchemaMoved();
      return write.decide(tx);
    },
  });
  if (!replayed) await opened.settled(seq);
  return { result, replayed };
}

/** The live row of a command. @throws StoreError NOT_FOUND, VERSION_CONFLICT with the current row. */
export function liveRow(tx: CommandTransaction, id: string, input: WriteArguments): RowState {
  const row = tx.row(id);
  if (row === null) throw new StoreError('NOT_FOUND', { id });
  assertVersion(row, input);
  return row;
}

export function assertVersion(row: RowState, { expected_version: expected }: WriteArguments): void {
  if (expected === undefined || expected === row.version) return;
  throw new StoreError('VERSION_CONFLICT', { id: row.id, expected, actual: row.version, row: rowRecord(row) });
}

/** The row after a command's own change. */
export function changedRow(tx: CommandTransaction, id: string): RowState {
  const row = tx.row(id);
  if (row === null) throw new Error(`row ${id} is gone in its own transaction`);
  return row;
}

function recallRow(kept: JsonValue, tx: CommandTransaction): RowState {
  const { row: id, version } = kept as { row: string; version: number };
  const row = tx.rowAtVersion(id, version);
  if (row === null) throw new StoreError('NOT_FOUND', { id });
  return row;
}

function digestOf<T>({ op, table, input }: Write<T>): string {
  const { idempotency_key: _, table: __, ...rest } = input as WriteArguments & { table?: unknown };
  const text = canonicalJson({ op, table: table.name, input: JSON.parse(JSON.stringify(rest)) as JsonValue });
  return createHash('sha256').update(text).digest('hex');
}
