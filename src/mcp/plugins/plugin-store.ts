/** The store as plugins see it: the ops of the tools, on whose behalf a call is made, with rows as plain values. */
import type { Caller } from '../../events/types.js';
import { type CreateRowInput, createRow } from '../../ops/create-row.js';
import { type DeleteRowInput, deleteRow } from '../../ops/delete-row.js';
import { type GetRowInput, getRow } from '../../ops/get-row.js';
import { type ListRowsInput, listRows } from '../../ops/list-rows.js';
import { type RestoreRowInput, restoreRow } from '../../ops/restore-row.js';
import { type CommandInput, type CommandSteps, runCommand } from '../../ops/run-command.js';
import type { Store as OpStore, RowRecord } from '../../ops/store.js';
import { type UpdateRowInput, updateRow } from '../../ops/update-row.js';
import { type JsonObject, parseJson } from '../../schema/json.js';
import { ServiceKey } from '../contract.js';
import { stepInput, storeInput } from './store-arguments.js';

/** A row. Times are Unix seconds. Integers beyond 2^53 of older databases are rounded here; tools answer them exactly. */
export interface PluginRow {
  readonly id: string;
  readonly data: JsonObject;
  readonly created_at: number;
  readonly updated_at: number;
  readonly version: number;
}

/** On whose behalf: the context of the call that a tool was given. */
export interface OnBehalf {
  readonly caller: Caller;
}

/** The steps of one command: see {@link PluginStore.atomically}. Errors as those of the store's own methods. */
export type PluginCommand = CommandSteps<PluginRow>;

/** Arguments are those of the tools of the same names. Every change is an event that names the caller and the plugin. */
export interface PluginStore {
  /** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR, TABLE_NOT_FOUND. */
  get(input: GetRowInput, context: OnBehalf): Promise<PluginRow>;
  /** At most 1,000 rows, newest first unless ordered; 100 unless asked otherwise. @throws StoreError VALIDATION_ERROR. */
  list(input: ListRowsInput, context: OnBehalf): Promise<PluginRow[]>;
  /** @throws StoreError VALIDATION_ERROR, IDEMPOTENCY_CONFLICT, BUSY. */
  create(input: CreateRowInput, context: OnBehalf): Promise<PluginRow>;
  /** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR, VERSION_CONFLICT, IDEMPOTENCY_CONFLICT, BUSY. */
  update(input: UpdateRowInput, context: OnBehalf): Promise<PluginRow>;
  /** The full id. @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VERSION_CONFLICT, IDEMPOTENCY_CONFLICT, BUSY. */
  delete(input: DeleteRowInput, context: OnBehalf): Promise<string>;
  /** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR, VERSION_CONFLICT, BUSY. */
  restore(input: RestoreRowInput, context: OnBehalf): Promise<PluginRow>;
  /**
   * Several steps on one table in one command: all of their events or none, in one commit, nobody else in between. The
   * function is synchronous and may run more than once before the commit, so it must have no effect but through
   * `command`; what it throws undoes every step and reaches the caller as it is.
   * @throws StoreError IDEMPOTENCY_CONFLICT, BUSY; whatever the function throws.
   */
  atomically<T>(input: CommandInput, context: OnBehalf, steps: (command: PluginCommand) => T): Promise<T>;
}

/** What a plugin injects to read and write tables. */
export const Store = new ServiceKey<PluginStore>('mini-app-mcp/store');

export function pluginStore(store: OpStore): PluginStore {
  return {
    get: async (input) => rowOf(await getRow(store, storeInput('get', input))),
    list: async (input) => (await listRows(store, storeInput('list', input))).map(rowOf),
    create: async (input, { caller }) => rowOf(await createRow(store, storeInput('create', input), caller)),
    update: async (input, { caller }) => rowOf(await updateRow(store, storeInput('update', input), caller)),
    delete: async (input, { caller }) => (await deleteRow(store, storeInput('delete', input), caller)).deleted,
    restore: async (input, { caller }) => rowOf(await restoreRow(store, storeInput('restore', input), caller)),
    atomically: async (input, { caller }, steps) =>
      runCommand(store, storeInput('atomically', input), caller, (command) => steps(plain(command))),
  };
}

function plain(command: CommandSteps): PluginCommand {
  return {
    get: (input) => rowOf(command.get(stepInput('get', input))),
    list: (input = {}) => command.list(stepInput('list', input)).map(rowOf),
    create: (input) => rowOf(command.create(stepInput('create', input))),
    update: (input) => rowOf(command.update(stepInput('update', input))),
    delete: (input) => command.delete(stepInput('delete', input)),
  };
}

function rowOf({ id, data, created_at, updated_at, version }: RowRecord): PluginRow {
  // A row's data is a JSON object, or stands as an empty one where somebody stored something else.
  return { id, data: parseJson(data.text) as JsonObject, created_at, updated_at, version };
}
