import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PluginCommand, type PluginStore, pluginStore } from '../../../src/mcp/plugins/plugin-store.js';
import { caller, ScratchTable } from '../../ops/scratch-table.js';

let table: ScratchTable;
let store: PluginStore;
const context = { caller };

beforeEach(() => {
  table = new ScratchTable();
  store = pluginStore(table.store);
});

afterEach(() => table.remove());

/** As a plugin in JavaScript calls it, whatever the types say. */
function call(method: 'get' | 'list' | 'create' | 'update' | 'delete' | 'restore', input: object): Promise<unknown> {
  return Reflect.apply(store[method], store, [input, context]);
}

describe('the store of a plugin', () => {
  it.each([
    ['create', { data: { title: 'x' }, idempotencyKey: 'k' }, "did you mean 'idempotency_key'"],
    ['update', { id: 'a', data: {}, expectedVersion: 9 }, "did you mean 'expected_version'"],
    ['list', { limt: 1 }, "did you mean 'limit'"],
    ['list', { where: {} }, 'it takes table, limit'],
    ['get', { id: 'a', field: [] }, "did you mean 'fields'"],
    ['delete', { id: 'a', versoin: 1 }, 'it takes table, id'],
    ['restore', { id: 'a', versoin: 1 }, "did you mean 'version'"],
  ] as const)('refuses an argument of %s that it does not have: %j', async (method, input, words) => {
    await expect(call(method, input)).rejects.toThrow(words);
    expect(table.database.head()).toBe(0);
  });

  it.each([
    ['create', { table: 'other', data: { title: 'x' } }, "takes no 'table'"],
    ['create', { data: { title: 'x' }, idempotency_key: 'k' }, "takes no 'idempotency_key'"],
    ['update', { id: 'a', data: {}, expectedversion: 1 }, "did you mean 'expected_version'"],
    ['list', { table: 'other' }, "takes no 'table'"],
  ] as const)('refuses one of the step %s: %j', async (step, input, words) => {
    const run = (command: PluginCommand) => Reflect.apply(command[step], command, [input]) as unknown;
    await expect(store.atomically({}, context, run)).rejects.toThrow(words);
    expect(table.database.head()).toBe(0);
  });

  it('refuses one of the command itself', async () => {
    const args = [{ idempotencykey: 'k' }, context, () => 1];
    const run = async () => Reflect.apply(store.atomically, store, args) as unknown;
    await expect(run()).rejects.toThrow("did you mean 'idempotency_key'");
  });
});
