/** The `query` op of a batch: SQL on `rows`. What it changes becomes ordinary events, so history and followers see it. */
import Database from 'better-sqlite3';
import { StoreError } from '../../errors.js';
import type { DirectChange } from '../../events/event-log.js';
import { storageError } from '../../events/storage-error.js';
import type { NewEvent, RowState } from '../../events/types.js';
import { mostCharacters, runStatement } from '../../projections/rows/raw-sql/statement.js';
import { invalid } from '../../schema/field-errors.js';
import {
  asJsonObjectText,
  assertStorable,
  joinMembers,
  type Members,
  parseJson,
  splitMembers,
} from '../../schema/json.js';
import type { TableSchema } from '../../schema/table-schema.js';
import { validateRow } from '../../schema/validate-row.js';
import { rowDeleted, rowWritten } from '../row-events.js';
import type { BatchOp } from './batch-ops.js';
import { noFields } from './row-steps.js';
import type { OpOutcome, TableWork } from './table-work.js';

/** @throws StoreError VALIDATION_ERROR: `sql` for what SQLite refuses, else what is wrong with a row it left. */
export function queryRows(work: TableWork, { sql, statement }: Extract<BatchOp, { op: 'query' }>): OpOutcome {
  const schema = work.requireSchema();
  if (statement.objection !== null) throw invalid('sql', statement.objection);
  const { result, changes } = work.tx.directly((connection) => {
    const nameless = connection.prepare<[], number>('SELECT count(*) FROM rows WHERE id IS NULL').pluck();
    const before = nameless.get();
    const answer = understood(() => runStatement(connection, statement));
    if (nameless.get() !== before) throw invalid('id', 'a row must have an id');
    return answer;
  });
  const at = Math.floor(work.tx.at / 1000);
  const events = changes.flatMap((change) => eventOf(schema, change, at) ?? []);
  for (const event of events) work.tx.append(event);
  const rows = events.length;
  return {
    result: { op: 'query', rows_affected: rows, ...(result.rows === null ? {} : { rows: result.rows }) },
    affects: { sql, rows_affected: rows, note: 'the statement ran and was rolled back', rows, ...noFields },
  };
}

function understood<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    const isStatement = /^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG)/.test(error.code);
    throw isStatement ? invalid('sql', error.message) : storageError(error);
  }
}

function eventOf(schema: TableSchema, { id, before, found }: DirectChange, at: number): NewEvent | null {
  if (found === null) return before === null ? null : rowDeleted(schema, id);
  const data = validFound(schema, found, before);
  const { createdAt } = found;
  const isTouched = before === null || found.updatedAt !== before.updatedAt;
  const isChanged = before === null || joinMembers(data) !== before.data || createdAt !== before.createdAt;
  if (!isChanged && !isTouched) return null;
  // A statement that leaves updated_at alone still makes a change now.
  const updatedAt = isTouched ? found.updatedAt : at;
  return rowWritten(schema, { id, before, data, createdAt, updatedAt });
}

/** The members of a row that a statement left; SQLite's columns let in more than a row may hold. */
function validFound(schema: TableSchema, found: RowState, before: RowState | null): Members {
  const { id, data, createdAt, updatedAt } = found;
  if (typeof id !== 'string' || id === '' || id.length > 200)
    throw invalid('id', 'must be a text of 1 to 200 characters');
  assertStorable(id, 'id');
  assertSeconds('created_at', createdAt);
  assertSeconds('updated_at', updatedAt);
  if (typeof data !== 'string' || asJsonObjectText(data) === null) throw invalid('data', 'must be a JSON object');
  assertLength(data, before);
  const members = splitMembers(data);
  const old = before !== null && asJsonObjectText(before.data) !== null ? splitMembers(before.data) : new Map();
  for (const [key, value] of members) {
    if (old.get(key) === value) continue;
    assertStorable(key, key);
    assertStorable(parseJson(value), key);
  }
  validateRow(schema, members);
  return members;
}

/** SQL makes long texts out of short ones; a row that is long already may stay so. */
function assertLength(data: string, before: RowState | null): void {
  if (data.length <= mostCharacters || data.length <= 2 * (before?.data.length ?? 0)) return;
  throw invalid('data', `must not be longer than ${mostCharacters} characters when SQL makes it`);
}

function assertSeconds(column: string, value: unknown): void {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return;
  throw new StoreError('VALIDATION_ERROR', { field: column, reason: 'must be a whole number of Unix seconds' });
}
