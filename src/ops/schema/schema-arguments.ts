/** The arguments of the single schema tools, and the errors they have in common. */
import { z } from 'zod';
import { StoreError } from '../../errors.js';
import type { Caller } from '../../events/types.js';
import { invalidShape } from '../../schema/field-errors.js';
import { assertTableName } from '../../schema/table-name.js';
import type { BatchOp } from '../batch/batch-ops.js';
import { type Changed, changeTable, OpFailure } from '../batch/change-table.js';
import { scopeTarget, type TableTarget } from '../batch/table-target.js';
import type { Store } from '../store.js';
import { definitionShape, type SchemaDefinition } from './schema-definition.js';

export interface TableArguments {
  readonly table: string;
  readonly scope: 'project' | 'user';
  readonly dry_run?: boolean | undefined;
}

/** What schema_create and schema_update take. */
export interface SchemaArguments extends TableArguments {
  readonly title?: unknown;
  readonly description?: unknown;
  readonly fields: unknown;
  readonly dump?: unknown;
  readonly history?: unknown;
  readonly indexes?: unknown;
}

const shape = z.strictObject(definitionShape);

/** @throws StoreError VALIDATION_ERROR whose field is a path, `fields[0].name` for example. */
export function parseDefinition(input: SchemaArguments): SchemaDefinition {
  const { title, description, fields, dump, history, indexes } = input;
  const parsed = shape.safeParse({ title, description, fields, dump, history, indexes });
  if (parsed.success) return parsed.data;
  const [argument = 'fields', ...path] = parsed.error.issues[0]?.path ?? [];
  const issues = parsed.error.issues.slice(0, 1).map((issue) => ({ ...issue, path }));
  throw invalidShape(String(argument), new z.ZodError(issues));
}

/** @throws StoreError VALIDATION_ERROR, field `table`; CONFIG_ERROR. */
export function targetOf(store: Store, { table, scope }: TableArguments): TableTarget {
  assertTableName(table);
  return scopeTarget(store, table, scope);
}

/** The same, of a table that is there. @throws StoreError TABLE_NOT_FOUND when no scope has it mounted. */
export function knownTarget(store: Store, input: TableArguments): TableTarget {
  const target = targetOf(store, input);
  if (target.isKnown) return target;
  throw new StoreError('TABLE_NOT_FOUND', { table: input.table });
}

export interface SingleChange {
  readonly store: Store;
  readonly caller: Caller;
  readonly target: TableTarget;
  readonly op: BatchOp;
  readonly dryRun: boolean | undefined;
}

/** One schema op as a command of its own; its error is the op's own. */
export async function changeAlone({ store, caller, target, op, dryRun = false }: SingleChange): Promise<Changed> {
  try {
    return await changeTable({ store, caller, target, ops: [op], dryRun, tool: op.op, input: {} });
  } catch (error) {
    throw error instanceof OpFailure ? error.cause : error;
  }
}

export interface DryRun {
  readonly dry_run: true;
  readonly affects: Readonly<Record<string, unknown>>;
}

/** What the one op of a change would do. */
export function dryRunOf({ outcomes }: Changed): DryRun {
  const { table: _, ...affects } = outcomes[0]?.affects ?? {};
  return { dry_run: true, affects };
}
