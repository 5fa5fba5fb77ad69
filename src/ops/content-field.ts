/** What the content tools have in common: one string field of one row, and the change of nothing else in it. */
import { StoreError } from '../errors.js';
import type { CommandTransaction } from '../events/event-log.js';
import { editedString } from '../events/string-edit.js';
import type { Caller, RowState } from '../events/types.js';
import { invalid, requireField } from '../schema/field-errors.js';
import { type JsonValue, jsonText, parseJson } from '../schema/json.js';
import type { TableSchema } from '../schema/table-schema.js';
import { jsonTypeOf, validateRow } from '../schema/validate-row.js';
import type { Table } from '../tables/table.js';
import { resolveId } from './resolve-id.js';
import { rowUpdated } from './row-events.js';
import type { LineRange } from './text-lines.js';
import { storedMembers } from './update-row.js';
import { liveRow, runWrite, type WriteArguments } from './write-row.js';

export interface ContentTarget {
  readonly table?: string | undefined;
  readonly id: string;
  readonly field: string;
}

export interface ContentEdit extends ContentTarget, WriteArguments {}

/** In UTF-16 code units: longer texts are more than a database value or a program's string can be. */
const longestText = 250_000_000;

/** To be asked before the text is made. @throws StoreError VALIDATION_ERROR for more than could be kept. */
export function assertLength(field: string, length: number): void {
  if (length > longestText) throw invalid(field, `the text would be longer than ${longestText} characters`);
}

/** @throws StoreError VALIDATION_ERROR for a field that the schema does not have, TYPE_ERROR for one that is no string. */
export function requireStringField(schema: TableSchema, name: string): void {
  const { type } = requireField(schema, name);
  if (type !== 'string') throw new StoreError('TYPE_ERROR', { field: name, actual_type: type });
}

/** The field's text; absent and null count as empty. @throws StoreError TYPE_ERROR when something else is stored there. */
export function textOf(row: RowState, field: string): string {
  const raw = storedMembers(row).get(field);
  if (raw === undefined) return '';
  const value = parseJson(raw);
  if (value === null) return '';
  if (typeof value === 'string') return value;
  throw new StoreError('TYPE_ERROR', { field, actual_type: jsonTypeOf(raw) });
}

/** `view_range` as given: two whole numbers. @throws StoreError VALIDATION_ERROR when it starts at 0 or is inverted. */
export function requireRange([first, last]: LineRange): LineRange {
  if (first >= 1 && first <= last) return [first, last];
  throw invalid('view_range', 'must be [start, end] with 1 <= start <= end');
}

interface FieldEdit {
  readonly field: string;
  readonly old: string;
  readonly text: string;
}

export interface Edited<T> {
  readonly text: string;
  readonly result: T;
}

/**
 * Changes one field in a transaction: the edit sees the text of the moment. A repeated key answers with the first result.
 * @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR, TYPE_ERROR, VERSION_CONFLICT, IDEMPOTENCY_CONFLICT, BUSY.
 */
export async function editContent<T extends { readonly [key: string]: JsonValue }>(
  write: { readonly table: Table; readonly op: string; readonly input: ContentEdit; readonly caller: Caller },
  edit: (text: string) => Edited<T>,
): Promise<T & { replayed?: true }> {
  const { table, input } = write;
  const { rows } = table.open();
  const decide = (tx: CommandTransaction): T => {
    const id = resolveId(input.id, (prefix) => rows.idsWithPrefix(prefix));
    requireStringField(table.schema, input.field);
    const before = liveRow(tx, id, input);
    const old = textOf(before, input.field);
    const { text, result } = edit(old);
    appendEdit(tx, table.schema, before, { field: input.field, old, text });
    return result;
  };
  const memory = { remember: (result: T): JsonValue => result, recall: (kept: JsonValue) => kept as T };
  const { result, replayed } = await runWrite({ ...write, decide }, memory);
  return replayed ? { ...result, replayed: true } : result;
}

function appendEdit(
  tx: CommandTransaction,
  schema: TableSchema,
  before: RowState,
  { field, old, text }: FieldEdit,
): void {
  const members = storedMembers(before);
  const raw = members.get(field);
  const after = new Map(members).set(field, raw === undefined ? jsonText(text) : editedString(raw, old, text));
  validateRow(schema, after);
  tx.append(rowUpdated(schema, before, after));
}
