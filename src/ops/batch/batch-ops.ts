/** The ops of a batch: what they are and what a caller may send (surface.md §4.11, rulings §2 "schema_batch ops"). */
import { z } from 'zod';
import { StoreError } from '../../errors.js';
import { type CheckedStatement, checkStatement } from '../../projections/rows/raw-sql/statement.js';
import { invalid, invalidShape } from '../../schema/field-errors.js';
import { assertStorable, isJsonObject, type JsonValue } from '../../schema/json.js';
import { assertTableName } from '../../schema/table-name.js';
import { definitionShape, type SchemaDefinition } from '../schema/schema-definition.js';

export type BatchOp =
  | { readonly op: 'schema_create' | 'schema_update'; readonly definition: SchemaDefinition }
  | { readonly op: 'schema_delete' }
  | { readonly op: 'data_insert'; readonly data: unknown }
  | {
      readonly op: 'data_update';
      readonly id: string;
      readonly data: unknown;
      readonly mode: 'merge' | 'replace';
      readonly expected_version: number | undefined;
    }
  | { readonly op: 'data_delete'; readonly id: string; readonly expected_version: number | undefined }
  | { readonly op: 'replace'; readonly match: RawMatch; readonly items: readonly unknown[] }
  | { readonly op: 'query'; readonly sql: string; readonly statement: CheckedStatement };

/** Values of the right kind; whether they fit the table's fields is checked when the op runs. */
export type RawMatch = ReadonlyMap<string, string | number | boolean | null>;

/** The ops of one batch: all on one table, their schema ops in one scope. */
export interface BatchOps {
  readonly ops: readonly BatchOp[];
  /** Undefined: none names it. */
  readonly table: string | undefined;
  /** Undefined: no schema op, so the table is the mounted one. */
  readonly scope: 'project' | 'user' | undefined;
}

const table = z.string('must be a table name').nullish();
const scope = z.enum(['project', 'user'], 'must be project or user');
const id = z.string('must be a row id').min(1, 'must not be empty').max(200, 'must not be longer than 200');
const expectedVersion = z.int('must be a whole number').min(0, 'must not be negative').nullish();
const values = z.array(z.unknown(), 'must be a list');

const shape = z.discriminatedUnion(
  'op',
  [
    z.strictObject({ op: z.literal('schema_create'), table, scope, ...definitionShape }),
    z.strictObject({ op: z.literal('create'), table, scope, ...definitionShape }),
    z.strictObject({ op: z.literal('schema_update'), table, scope, ...definitionShape }),
    z.strictObject({ op: z.literal('schema_delete'), table, scope }),
    z.strictObject({ op: z.literal('data_insert'), table, data: z.unknown() }),
    z.strictObject({
      op: z.literal('data_update'),
      table,
      id,
      data: z.unknown(),
      mode: z.enum(['merge', 'replace'], 'must be merge or replace').nullish(),
      expected_version: expectedVersion,
    }),
    z.strictObject({ op: z.literal('data_delete'), table, id, expected_version: expectedVersion }),
    z.strictObject({ op: z.literal('replace'), table, match: z.unknown(), items: values }),
    z.strictObject({ op: z.literal('query'), table, sql: z.string('must be a string'), params: values.nullish() }),
  ],
  {
    error: (issue) => {
      if (issue.code !== 'invalid_union')
        return issue.code === 'unrecognized_keys' ? 'unknown key' : 'must be an object';
      return 'must be one of schema_create, schema_update, schema_delete, data_insert, data_update, data_delete, replace, query';
    },
  },
);

type ShapedOp = z.infer<typeof shape>;

/** @throws StoreError VALIDATION_ERROR: `ops`, a path from `ops` on, or the names of surface.md §4.11 (`match`, `sql`). */
export function parseBatch(input: readonly unknown[], defaultTable?: string): BatchOps {
  const shaped = input.map((op, index) => shapedOp(op, `ops[${index}]`));
  const tables = distinct([defaultTable, ...shaped.map((op) => op.table ?? undefined)]);
  const scopes = distinct(shaped.map((op) => ('scope' in op ? op.scope : undefined)));
  if (tables.length > 1) throw invalid('ops', `all ops must have the same table; found ${tables.join(', ')}`);
  if (scopes.length > 1) throw invalid('ops', 'all schema ops must have the same scope');
  const [name] = tables;
  if (name !== undefined && scopes.length > 0) assertTableName(name);
  return { ops: shaped.map((op, index) => batchOp(op, `ops[${index}]`)), table: name, scope: scopes[0] };
}

function shapedOp(op: unknown, path: string): ShapedOp {
  const parsed = shape.safeParse(op);
  if (!parsed.success) throw invalidShape(path, parsed.error, { known: keysOf(op) });
  return parsed.data;
}

function keysOf(op: unknown): string[] {
  const name = isJsonObject(op) ? op.op : undefined;
  const meant = shape.options.find((option) => option.shape.op.value === name);
  return meant === undefined ? [] : Object.keys(meant.shape);
}

function batchOp(op: ShapedOp, path: string): BatchOp {
  switch (op.op) {
    case 'create':
    case 'schema_create':
    case 'schema_update': {
      const { op: name, table: _, scope: __, ...definition } = op;
      return { op: name === 'create' ? 'schema_create' : name, definition };
    }
    case 'schema_delete':
      return { op: op.op };
    case 'data_insert':
      return { op: op.op, data: op.data };
    case 'data_update':
      return {
        op: op.op,
        id: op.id,
        data: op.data,
        mode: op.mode ?? 'merge',
        expected_version: op.expected_version ?? undefined,
      };
    case 'data_delete':
      return { op: op.op, id: op.id, expected_version: op.expected_version ?? undefined };
    case 'replace':
      return { op: op.op, match: rawMatch(op.match), items: op.items };
    case 'query':
      return { op: op.op, sql: op.sql, statement: checkedStatement(op.sql, op.params ?? [], path) };
  }
}

function checkedStatement(sql: string, params: readonly unknown[], path: string): CheckedStatement {
  const values = params as readonly JsonValue[];
  assertStorable(values, `${path}.params`);
  try {
    return checkStatement(sql, values);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'VALIDATION_ERROR') throw error;
    const { reason } = error.fields as { reason: string };
    throw new StoreError('VALIDATION_ERROR', { field: `${path}.sql`, reason }, { hint: error.hint });
  }
}

function rawMatch(input: unknown): RawMatch {
  if (!isJsonObject(input)) throw invalid('match', 'must be an object of field names and values');
  const entries = Object.entries(input);
  if (entries.length === 0) throw invalid('match', 'must not be empty: it would replace the whole table');
  return new Map(
    entries.map(([key, value]) => {
      if (key === '') throw invalid('match', 'a key must not be empty');
      if (typeof value === 'object' && value !== null) throw invalid('match', `the value of '${key}' must be a scalar`);
      assertStorable(value, `match.${key}`);
      return [key, value];
    }),
  );
}

function distinct<T>(values: readonly (T | undefined)[]): T[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}
