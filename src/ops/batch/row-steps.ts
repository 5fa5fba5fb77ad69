/** The row ops of a batch: what the single tools do, inside the batch's transaction. */
import { StoreError } from '../../errors.js';
import type { Match } from '../../projections/rows/queries.js';
import { invalid } from '../../schema/field-errors.js';
import { fieldValue } from '../../schema/filter-value.js';
import type { JsonText } from '../../schema/json.js';
import { fieldOf, type TableSchema } from '../../schema/table-schema.js';
import { validRowText } from '../../schema/validate-row.js';
import { addRow } from '../create-row.js';
import { removeRow } from '../delete-row.js';
import { newRowCreated, rowDeleted } from '../row-events.js';
import { changeRow } from '../update-row.js';
import type { CommandParts } from '../write-row.js';
import type { BatchOp, RawMatch } from './batch-ops.js';
import type { OpOutcome, TableWork } from './table-work.js';

type Op<N extends BatchOp['op']> = Extract<BatchOp, { op: N }>;

/** @throws StoreError VALIDATION_ERROR, TABLE_NOT_FOUND. */
export function insertStep(work: TableWork, { data }: Op<'data_insert'>): OpOutcome {
  const { id, version } = addRow(parts(work), work.store.newId(), validRowText(work.requireSchema(), data));
  return { result: { op: 'data_insert', id, version }, affects: oneRow(work) };
}

/** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR, VERSION_CONFLICT, TABLE_NOT_FOUND. */
export function updateStep(work: TableWork, op: Op<'data_update'>): OpOutcome {
  const { id, version } = changeRow(parts(work), op);
  return { result: { op: 'data_update', id, version }, affects: oneRow(work) };
}

/** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VERSION_CONFLICT, TABLE_NOT_FOUND. */
export function deleteStep(work: TableWork, op: Op<'data_delete'>): OpOutcome {
  return { result: { op: 'data_delete', deleted: removeRow(parts(work), op) }, affects: oneRow(work) };
}

/**
 * Every row that fits goes, every item becomes a row. Items are checked before anything is changed.
 * @throws StoreError VALIDATION_ERROR: `match.<key>` or `items[<i>]`; TABLE_NOT_FOUND.
 */
export function replaceStep(work: TableWork, { match, items }: Op<'replace'>): OpOutcome {
  const schema = work.requireSchema();
  const typed = typedMatch(schema, match);
  const data = items.map((item, index) => validItem(schema, item, index));
  const removed = work.rows.idsMatching(typed).filter((id) => work.tx.row(id) !== null);
  for (const id of removed) work.tx.append(rowDeleted(schema, id));
  const ids = data.map((text) => {
    const id = work.store.newId();
    work.tx.append(newRowCreated(schema, id, text));
    return id;
  });
  const replaced = { deleted: removed.length, inserted: ids.length };
  return {
    result: { op: 'replace', ...replaced, ids },
    affects: {
      table: work.target.name,
      match_keys: match.size,
      items_count: items.length,
      would_delete_estimate: replaced.deleted,
      would_insert: replaced.inserted,
      rows: replaced.deleted + replaced.inserted,
      ...noFields,
    },
    replaced,
  };
}

/** For ops that leave the fields as they are. */
export const noFields = { fields_added: [], fields_removed: [] };

function oneRow(work: TableWork) {
  return { table: work.target.name, rows: 1, ...noFields };
}

function parts(work: TableWork): CommandParts {
  return { tx: work.tx, rows: work.rows, schema: work.requireSchema() };
}

/** Keys that only rows have, not the schema, are compared as they are. */
function typedMatch(schema: TableSchema, match: RawMatch): Match {
  return new Map(
    [...match].map(([key, value]) => {
      const field = fieldOf(schema, key);
      if (field === undefined && !/^[A-Za-z0-9_-]+$/.test(key)) throw invalid(`match.${key}`, 'unknown field');
      if (field === undefined || value === null) return [key, value];
      return [key, matchValue(() => fieldValue(field, value), key)];
    }),
  );
}

function matchValue<T>(check: () => T, key: string): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'VALIDATION_ERROR')
      throw invalid(`match.${key}`, reasonOf(error));
    throw error;
  }
}

function validItem(schema: TableSchema, item: unknown, index: number): JsonText {
  try {
    return validRowText(schema, item);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw invalid(`items[${index}]`, error.message);
  }
}

function reasonOf(error: StoreError): string {
  return 'reason' in error.fields ? String(error.fields.reason) : error.message;
}
