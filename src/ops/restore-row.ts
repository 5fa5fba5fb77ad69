/** `row_restore`: brings a row back to what it was, deleted rows included. */
import { StoreError } from '../errors.js';
import type { CommandTransaction } from '../events/event-log.js';
import type { Caller, RowState } from '../events/types.js';
import type { HistoryEntry } from '../projections/row-history/queries.js';
import { asJsonObjectText, type JsonText, type Members, splitMembers } from '../schema/json.js';
import { validateRow } from '../schema/validate-row.js';
import type { OpenTable } from '../tables/table.js';
import { resolveId } from './resolve-id.js';
import { rowRestored } from './row-events.js';
import type { RowRecord, Store } from './store.js';
import { assertVersion, changedRow, type WriteArguments, withPresentSchema, writeRow } from './write-row.js';

export interface RestoreRowInput extends WriteArguments {
  readonly table?: string | undefined;
  readonly id: string;
  /** The newest state at or before this time. */
  readonly at_unix_secs?: number | undefined;
  /** The state of exactly this version. */
  readonly version?: number | undefined;
}

interface Found {
  readonly data: JsonText;
  readonly version: number;
  /** Unix seconds of the row's first history entry; null when the row comes from the log. */
  readonly firstRecorded: number | null;
}

/** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR, VERSION_CONFLICT, IDEMPOTENCY_CONFLICT, BUSY. */
export function restoreRow(store: Store, input: RestoreRowInput, caller: Caller): Promise<RowRecord> {
  return withPresentSchema(() => restore(store, input, caller));
}

async function restore(store: Store, input: RestoreRowInput, caller: Caller): Promise<RowRecord> {
  const table = store.registry.resolve(input.table);
  assertOneTarget(input);
  const opened = table.open();
  const id = resolveId(input.id, (prefix) => knownIds(opened, prefix));
  if (table.schema.history === 'off') throw new StoreError('NOT_FOUND', { id: input.id }, { hint: withoutHistory });
  const recorded = await findInHistory(opened, id, input);
  return writeRow({
    table,
    caller,
    op: 'row_restore',
    input,
    decide: (tx) => {
      const found = recorded ?? findInLog(tx, id, input);
      if (found === null) throw new StoreError('NOT_FOUND', { id: input.id }, { hint: noSuchState });
      const data = restorable(id, found.data);
      validateRow(table.schema, data);
      const before = tx.row(id);
      if (before !== null) assertVersion(before, input);
      const createdAt = before === null ? originalCreation(tx, id, found) : before.createdAt;
      tx.append(rowRestored(before, { id, data, fromVersion: found.version, createdAt }));
      return changedRow(tx, id);
    },
  });
}

const withoutHistory = 'This table has history: off in schema.yaml, so there is nothing to restore from.';
const noSuchState = 'The row has no state at or before that time or under that version.';

function restorable(id: string, data: JsonText): Members {
  if (asJsonObjectText(data) !== null) return splitMembers(data);
  throw new StoreError(
    'SCHEMA_ERROR',
    { detail: `that state of row ${id} is no JSON object` },
    { hint: 'Choose another version.' },
  );
}

function assertOneTarget({ at_unix_secs: at, version }: RestoreRowInput): void {
  if ((at === undefined) !== (version === undefined)) return;
  const reason = 'give exactly one of at_unix_secs and version';
  throw new StoreError('VALIDATION_ERROR', { field: 'at_unix_secs', reason });
}

function knownIds({ rows, history }: OpenTable, prefix: string): string[] {
  return [...new Set([...rows.idsWithPrefix(prefix), ...history.idsWithPrefix(prefix)])].sort();
}

async function findInHistory(opened: OpenTable, id: string, input: RestoreRowInput): Promise<Found | null> {
  const entry = await entryFor(opened, id, input);
  const data = entry?.data ?? entry?.previous ?? null;
  if (entry === null || data === null) return null;
  return { data, version: entry.version, firstRecorded: await firstRecorded(opened, id) };
}

async function entryFor(opened: OpenTable, id: string, input: RestoreRowInput): Promise<HistoryEntry | null> {
  if (input.version !== undefined) return opened.history.version(id, input.version);
  return opened.history.at(id, input.at_unix_secs ?? 0);
}

/** Only a row that is gone needs its first entry, to come back with its original creation time. */
async function firstRecorded({ rows, history }: OpenTable, id: string): Promise<number | null> {
  if (rows.get(id) !== null) return null;
  const entries = await history.list(id);
  return entries[0]?.recordedAt ?? null;
}

/** Rows that were imported at adoption have states that no history entry holds. */
function findInLog(tx: CommandTransaction, id: string, input: RestoreRowInput): Found | null {
  const row: RowState | null =
    input.version === undefined ? tx.lastLiveRow(id, input.at_unix_secs) : tx.rowAtVersion(id, input.version);
  return row === null ? null : { data: row.data, version: row.version, firstRecorded: null };
}

function originalCreation(tx: CommandTransaction, id: string, found: Found): number {
  return tx.lastLiveRow(id)?.createdAt ?? found.firstRecorded ?? Math.floor(tx.at / 1000);
}
