/** `row_materialize`: rows written as files, one each or all in one (storage.md §13, surface.md §4.13). */
import { createHash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { isStoreError, StoreError } from '../errors.js';
import type { RowState } from '../events/types.js';
import { dumpFileName } from '../projections/dump/dump-path.js';
import { invalid, invalidShape } from '../schema/field-errors.js';
import { type FieldSelector, parseFieldSelector, project } from '../schema/field-selector.js';
import { parseFilter } from '../schema/filter.js';
import { type Members, splitMembers } from '../schema/json.js';
import type { TableSchema } from '../schema/table-schema.js';
import type { Table } from '../tables/table.js';
import { assertDirectory, assertPlaces, destInvalid, type FileToWrite, writeFiles } from './materialize-files.js';
import {
  concatenated,
  fileEndings,
  type MaterializedRow,
  type MaterializeFormat,
  rowText,
} from './materialized-text.js';
import { resolveId } from './resolve-id.js';
import type { Store } from './store.js';
import { storedMembers } from './update-row.js';

export interface MaterializeInput {
  readonly table?: string | undefined;
  /** `{type: "by_id", id}` or `{type: "by_filter", filter, limit?, offset?}`. */
  readonly selector: unknown;
  readonly fields: unknown;
  readonly format: MaterializeFormat;
  /** An absolute path: a directory, or with `concat` the file. */
  readonly dest: string;
  readonly concat?: boolean | undefined;
  readonly write_mode?: 'overwrite' | 'error' | undefined;
  readonly dry_run?: boolean | undefined;
}

export interface Materialized {
  /** How many files. */
  readonly count: number;
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    /** Of the bytes, 64 lower-case hexadecimal digits. */
    readonly sha256: string;
    /** Null with `concat`. */
    readonly row_id: string | null;
  }[];
}

/** @throws StoreError MATERIALIZE_*, VALIDATION_ERROR, AMBIGUOUS_ID, TABLE_REQUIRED, TABLE_NOT_FOUND. */
export async function materializeRows(store: Store, input: MaterializeInput): Promise<Materialized> {
  assertDest(input.dest);
  const table = store.registry.resolve(input.table);
  const fields = fieldsOf(table.schema, input.fields);
  const rows = selectRows(table, input).map((row) => ({ id: row.id, members: shown(table.schema, row, fields) }));
  const files = await filesOf(rows, input);
  if (input.concat !== true) await assertDirectory(input.dest);
  await assertPlaces(files, input.write_mode !== 'error');
  if (input.dry_run !== true) await writeFiles(files);
  return { count: files.length, files: files.map(summary) };
}

interface MaterializedFile extends FileToWrite {
  readonly rowId: string | null;
}

function assertDest(dest: string): void {
  if (!isAbsolute(dest)) throw new StoreError('MATERIALIZE_DEST_RELATIVE', { path: dest });
  if (dest.includes('\0')) throw destInvalid(dest.replaceAll('\0', '\\0'), 'a path must not hold the NUL character');
}

function fieldsOf(schema: TableSchema, input: unknown): FieldSelector {
  if (input === undefined || input === null) throw invalid('fields', 'is required: {"mode":"all"} or a list');
  try {
    return parseFieldSelector(schema, input);
  } catch (error) {
    if (!isStoreError(error) || !('reason' in error.fields) || error.fields.reason !== 'unknown field') throw error;
    if (!('field' in error.fields)) throw error;
    throw new StoreError('MATERIALIZE_FIELD_UNKNOWN', { field: error.fields.field }, { hint: error.hint });
  }
}

const count = z.int('must be a whole number').min(0).max(4_294_967_295).nullish();
const selectorShape = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('by_id'), id: z.string('must be a row id') }),
    z.strictObject({ type: z.literal('by_filter'), filter: z.unknown(), limit: count, offset: count }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'type must be by_id or by_filter' : 'must be {"type":"by_id","id":…}',
  },
);

const selectorHint =
  'Give {"type":"by_id","id":"…"}, or {"type":"by_filter","filter":{…},"limit":100}. docs://filters shows the filters.';

const defaultLimit = 100;
const largestLimit = 1000;

function selectRows(table: Table, { selector, concat }: MaterializeInput): RowState[] {
  const parsed = selectorShape.safeParse(selector);
  if (!parsed.success) throw invalidShape('selector', parsed.error, { hint: selectorHint });
  const wanted = parsed.data;
  if (wanted.type === 'by_id') {
    if (concat === true) throw invalidConcat();
    return [rowById(table, wanted.id)];
  }
  const filter = parseFilter(table.schema, wanted.filter);
  const limit = Math.min(wanted.limit ?? defaultLimit, largestLimit);
  const rows = table.open().rows.list({ limit, offset: wanted.offset ?? 0, filter });
  if (rows.length === 0) throw new StoreError('MATERIALIZE_EMPTY_RESULT', {});
  return rows;
}

function invalidConcat(): StoreError<'MATERIALIZE_INVALID_PARAM'> {
  const reason = 'concat joins the rows of a by_filter selector; by_id selects one row';
  return new StoreError('MATERIALIZE_INVALID_PARAM', { field: 'concat', reason });
}

function rowById(table: Table, id: string): RowState {
  const { rows } = table.open();
  const row = rows.get(resolved(id, (prefix) => rows.idsWithPrefix(prefix)));
  if (row === null) throw new StoreError('MATERIALIZE_ROW_NOT_FOUND', { id });
  return row;
}

function resolved(id: string, find: (prefix: string) => readonly string[]): string {
  try {
    return resolveId(id, find);
  } catch (error) {
    if (isStoreError(error) && error.code === 'NOT_FOUND') throw new StoreError('MATERIALIZE_ROW_NOT_FOUND', { id });
    throw error;
  }
}

/** The fields asked for, as requested; or everything stored, first what is declared, in the order of the declaration. */
function shown(schema: TableSchema, row: RowState, fields: FieldSelector): Members {
  const stored = storedMembers(row);
  if (fields.mode === 'list') return splitMembers(project(row.data, fields));
  const declared = schema.fields.map(({ name }) => name).filter((name) => stored.has(name));
  const all: Members = new Map();
  for (const name of [...declared, ...stored.keys()]) {
    const value = stored.get(name);
    if (value !== undefined) all.set(name, value);
  }
  return all;
}

async function filesOf(rows: readonly MaterializedRow[], input: MaterializeInput): Promise<MaterializedFile[]> {
  const { format, dest } = input;
  if (input.concat === true) return [{ path: dest, text: await concatenated(format, rows), rowId: null }];
  return Promise.all(
    rows.map(async (row) => ({ path: fileFor(dest, row.id, format), text: await rowText(format, row), rowId: row.id })),
  );
}

/** An id may have been chosen by somebody: whatever it holds, it names a file in `dest`. */
function fileFor(dest: string, id: string, format: MaterializeFormat): string {
  return join(dest, `${dumpFileName(id).slice(0, -'.md'.length)}.${fileEndings[format]}`);
}

function summary({ path, text, rowId }: MaterializedFile): Materialized['files'][number] {
  const bytes = Buffer.from(text);
  return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), row_id: rowId };
}
