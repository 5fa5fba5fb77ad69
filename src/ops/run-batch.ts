/** `schema_batch`: several ops on one table, all or none of them (rulings §2 "schema_batch ops"). */
import { existsSync } from 'node:fs';
import { StoreError } from '../errors.js';
import type { Caller } from '../events/types.js';
import { type BatchOps, parseBatch } from './batch/batch-ops.js';
import { type Changed, changeTable, OpFailure } from './batch/change-table.js';
import { mountedTarget, scopeTarget, type TableTarget } from './batch/table-target.js';
import type { OpOutcome } from './batch/table-work.js';
import { tryCompiling } from './batch/trials.js';
import type { Store } from './store.js';
import { withPresentSchema } from './write-row.js';

export interface BatchInput {
  /** The table of ops that name none. */
  readonly table?: string | undefined;
  readonly ops: readonly unknown[];
  readonly dry_run?: boolean | undefined;
  readonly idempotency_key?: string | undefined;
}

export interface BatchResult {
  readonly committed: boolean;
  readonly dry_run?: true;
  readonly ops_executed: number;
  /** Of a `replace`: what all of them did together. Of a dry run: one entry per op. */
  readonly affects?: unknown;
  /** One entry per op. */
  readonly results: readonly unknown[];
  readonly yaml_writes: readonly string[];
  readonly backups_written: readonly string[];
  readonly registry_rebuilt: boolean;
  readonly replayed?: true;
}

/**
 * @throws StoreError BATCH_ABORTED with the op's index and the code of its error; VALIDATION_ERROR for what can be seen
 *   before anything runs and for `match`; TABLE_REQUIRED, TABLE_NOT_FOUND, IDEMPOTENCY_CONFLICT, BUSY.
 */
export function runBatch(store: Store, input: BatchInput, caller: Caller): Promise<BatchResult> {
  return withPresentSchema(() => run(store, input, caller));
}

async function run(store: Store, input: BatchInput, caller: Caller): Promise<BatchResult> {
  const { dry_run: dryRun = false, idempotency_key } = input;
  await tryCompiling(input.ops);
  const batch = parseBatch(input.ops, input.table);
  if (batch.ops.length === 0) return { ...nothing, committed: !dryRun };
  const target = targetOf(store, batch, idempotency_key);
  const kept = { ops: input.ops, idempotency_key };
  try {
    const { ops } = batch;
    const changed = await changeTable({ store, caller, target, ops, dryRun, tool: 'schema_batch', input: kept });
    return dryRun ? rehearsed(changed) : committed(batch, target, changed);
  } catch (error) {
    throw aborted(error, batch, target);
  }
}

const nothing = { ops_executed: 0, results: [], yaml_writes: [], backups_written: [], registry_rebuilt: false };

/** A table that is gone still has the log that knows whether this batch is the one that took it away. */
function targetOf(store: Store, { table, scope, ops }: BatchOps, key: string | undefined): TableTarget {
  if (scope === undefined) return mountedTarget(store, table);
  const target = scopeTarget(store, table ?? store.registry.resolve(undefined).name, scope);
  if (target.isKnown || ops.some(({ op }) => op === 'schema_create')) return target;
  if (key !== undefined && existsSync(target.databasePath)) return target;
  throw new StoreError('TABLE_NOT_FOUND', { table: target.name });
}

function rehearsed({ outcomes }: Changed): BatchResult {
  const affects = outcomes.map(({ result, affects }) => ({ op: result.op, ...affects }));
  const results = outcomes.map(({ result }) => result);
  return { ...nothing, committed: false, dry_run: true, ops_executed: outcomes.length, affects, results };
}

function committed(batch: BatchOps, target: TableTarget, { outcomes, backups, replayed }: Changed): BatchResult {
  const schemaOps = batch.ops.filter(({ op }) => op.startsWith('schema_'));
  const backedUp = schemaOps.filter(({ op }) => op !== 'schema_create');
  return {
    committed: true,
    ops_executed: outcomes.length,
    ...sumOfReplaces(outcomes),
    results: outcomes.map(({ result }) => result),
    yaml_writes: schemaOps.map(() => target.schemaPath),
    // One entry per op, as clients of the predecessor count them; one pair serves all.
    backups_written: backups.length === 0 ? [] : backedUp.map(() => backups[0]?.directory ?? ''),
    registry_rebuilt: schemaOps.length > 0 && !replayed,
    ...(replayed ? { replayed: true } : {}),
  };
}

function sumOfReplaces(outcomes: readonly OpOutcome[]): { affects?: { deleted: number; inserted: number } } {
  const replaces = outcomes.flatMap(({ replaced }) => replaced ?? []);
  if (replaces.length === 0) return {};
  const deleted = replaces.reduce((sum, replaced) => sum + replaced.deleted, 0);
  const inserted = replaces.reduce((sum, replaced) => sum + replaced.inserted, 0);
  return { affects: { deleted, inserted } };
}

/** The error of one op as that of the batch. What is wrong with `match` is the caller's argument, not the op's fate. */
function aborted(error: unknown, { ops }: BatchOps, { isKnown }: TableTarget): unknown {
  if (error instanceof StoreError && error.code === 'BACKUP_ERROR') {
    const index = ops.findIndex(({ op }) => op === 'schema_update' || op === 'schema_delete');
    return batchAborted(index, `backup failed: ${error.message}`, error);
  }
  if (!(error instanceof OpFailure)) return error;
  const { index, cause } = error;
  if (cause.code === 'VALIDATION_ERROR' && /^match\b/.test(String(fieldOf(cause)))) return cause;
  if (cause.code === 'TABLE_NOT_FOUND' && index === 0 && !isKnown) return cause;
  return batchAborted(index, reasonOf(cause), cause);
}

function batchAborted(index: number, reason: string, cause: StoreError): StoreError<'BATCH_ABORTED'> {
  const { code, fields } = cause;
  const about = { op_index: index, reason, cause_code: code, cause: { code, ...fields } };
  return new StoreError('BATCH_ABORTED', about, { cause });
}

/** An item's place comes first, so that it is found at once. */
function reasonOf(cause: StoreError): string {
  const field = String(fieldOf(cause));
  return field.startsWith('items[') && 'reason' in cause.fields
    ? `${field}: ${String(cause.fields.reason)}`
    : cause.message;
}

function fieldOf(error: StoreError): unknown {
  return 'field' in error.fields ? error.fields.field : '';
}
