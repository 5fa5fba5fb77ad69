import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors.js';
import { aliasShape } from '../../src/events/alias-body.js';
import { createAlias } from '../../src/ops/create-alias.js';
import { createRow } from '../../src/ops/create-row.js';
import { deleteAlias } from '../../src/ops/delete-alias.js';
import { listAliases } from '../../src/ops/list-aliases.js';
import { runAlias } from '../../src/ops/run-alias.js';
import type { Store } from '../../src/ops/store.js';
import { tempDir } from '../helpers/temp-dir.js';
import { addTable, issuesSchema, mountStore } from './alias-world.js';
import { caller } from './store-of.js';

const open = { type: 'eq', field: 'state', value: 'open' };
const any = { type: 'like', field: 'title', pattern: '%' };
const byState = '{"type":"eq","field":"state","value":"{{ state }}"}';

function world(): { directory: string; store: Store } {
  const directory = tempDir();
  for (const name of ['issues', 'log_a', 'log_b']) addTable(directory, 'user', name);
  return { directory, store: mountStore(directory) };
}

async function addRows(store: Store, table: string, titles: readonly string[], state = 'open') {
  for (const title of titles) await createRow(store, { table, data: { title, state, points: title.length } }, caller);
}

async function refusal(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StoreError) return error.toJSON();
  throw new Error(`expected a refusal, got ${String(error)}`);
}

describe('an alias', () => {
  it('is created, listed, run and deleted', async () => {
    const { store } = world();
    await addRows(store, 'issues', ['a', 'b', 'c']);
    await addRows(store, 'issues', ['d'], 'closed');
    const definition = { table: 'issues', name: 'recent', filter: open, default_limit: 2, description: 'Open ones' };
    expect(await createAlias(store, definition, caller)).toEqual({ created: 'recent' });
    expect(await listAliases(store, {})).toEqual([
      {
        name: 'recent',
        sources: { kind: 'single', value: 'issues' },
        aggregator: null,
        filter: open,
        default_limit: 2,
        description: 'Open ones',
        params_schema: null,
        fields: null,
        order_by: null,
        scope: 'user',
      },
    ]);
    expect(await runAlias(store, { name: 'recent' })).toHaveLength(2);
    expect(await runAlias(store, { name: 'recent', limit: 3 })).toHaveLength(3);
    expect(await runAlias(store, { name: 'recent', limit: 3, offset: 2 })).toHaveLength(1);
    expect(await deleteAlias(store, { name: 'recent', table: 'issues' }, caller)).toEqual({ deleted: 'recent' });
    expect(await refusal(runAlias(store, { name: 'recent' }))).toMatchObject({
      code: 'ALIAS_NOT_FOUND',
      name: 'recent',
    });
    expect(await refusal(deleteAlias(store, { name: 'recent' }, caller))).toMatchObject({ code: 'ALIAS_NOT_FOUND' });
  });

  it('of a fixed filter takes no parameters', async () => {
    const { store } = world();
    await addRows(store, 'issues', ['a']);
    await createAlias(store, { table: 'issues', name: 'fixed', filter: any }, caller);
    for (const params of [undefined, null, {}, '{}', '']) {
      expect(await runAlias(store, { name: 'fixed', params })).toHaveLength(1);
    }
    for (const params of [{ state: 'open' }, '{"state":"open"}']) {
      expect(await refusal(runAlias(store, { name: 'fixed', params }))).toMatchObject({
        kind: 'input',
        code: 'VALIDATION_ERROR',
        field: 'params',
        reason: expect.stringContaining('takes no params'),
      });
    }
  });

  it.each([
    ['declared', ['state', 'least']],
    ['undeclared', undefined],
  ])('of a template refuses %s parameters that it cannot use', async (_, params_schema) => {
    const { store } = world();
    await addRows(store, 'issues', ['a']);
    const filter_template =
      '{# title #}{"type":"and","filters":[{"type":"eq","field":"state","value":"{{ state }}"}{% if least is defined %},{"type":"eq","field":"points","value":{{ least }} }{% endif %}]}';
    await createAlias(store, { table: 'issues', name: 'open', filter_template, params_schema }, caller);
    const run = (params: object) => runAlias(store, { name: 'open', params });
    await run({ state: 'x', least: 1 });
    expect(await refusal(run({ state: 'x', laest: 1 }))).toMatchObject({
      kind: 'input',
      code: 'VALIDATION_ERROR',
      field: 'params.laest',
      hint: expect.stringContaining("Did you mean 'least'?"),
    });
    // A word of a comment is no parameter, nor is what the filter itself is made of.
    for (const name of ['title', 'points']) {
      expect(await refusal(run({ state: 'x', [name]: 1 }))).toMatchObject({ field: `params.${name}` });
    }
  });

  it('keeps fields and order, which a call replaces', async () => {
    const { store } = world();
    await addRows(store, 'issues', ['bb', 'a', 'ccc']);
    const fields = { mode: 'list', fields: ['title'] };
    const definition = { table: 'issues', name: 'sorted', filter: any, fields, order_by: [{ field: 'title' }] };
    await createAlias(store, definition, caller);
    const titles = async (more: object) =>
      JSON.parse(JSON.stringify(await runAlias(store, { name: 'sorted', ...more }))).map(
        (row: { data: object }) => row.data,
      );
    expect(await titles({})).toEqual([{ title: 'a' }, { title: 'bb' }, { title: 'ccc' }]);
    const order_by = [{ field: 'points', direction: 'desc' }];
    expect(await titles({ order_by, fields: { mode: 'list', fields: ['points'] } })).toEqual([
      { points: 3 },
      { points: 2 },
      { points: 1 },
    ]);
    expect(await listAliases(store, {})).toMatchObject([{ fields, order_by: [{ field: 'title', direction: 'asc' }] }]);
  });

  it('of a template renders its parameters', async () => {
    const { store } = world();
    await addRows(store, 'issues', ['a']);
    await addRows(store, 'issues', ['b', 'c'], 'it\'s "closed"\\');
    const definition = { table: 'issues', name: 'by_state', filter_template: byState, params_schema: ['state'] };
    await createAlias(store, definition, caller);
    expect(await listAliases(store, {})).toMatchObject([
      { filter: null, filter_template: byState, params_schema: ['state'] },
    ]);
    expect(await runAlias(store, { name: 'by_state', params: { state: 'open' } })).toHaveLength(1);
    expect(await runAlias(store, { name: 'by_state', params: { state: 'it\'s "closed"\\' }, limit: 1 })).toHaveLength(
      1,
    );
    expect(await runAlias(store, { name: 'by_state', params: '{"state":"open"}' })).toHaveLength(1);
    expect(await refusal(runAlias(store, { name: 'by_state' }))).toMatchObject({ code: 'ALIAS_PARAMS_REQUIRED' });
    for (const params of [{}, '{', '[]', 5]) {
      expect(await refusal(runAlias(store, { name: 'by_state', params }))).toMatchObject({
        code: 'ALIAS_TEMPLATE_ERROR',
      });
    }
  });

  it('of a template without declared parameters is rendered too', async () => {
    const { store } = world();
    await addRows(store, 'issues', ['a']);
    const filter_template = '{"type":"eq","field":"state","value":"{{ state|default("open") }}"}';
    await createAlias(store, { table: 'issues', name: 't', filter_template }, caller);
    expect(await listAliases(store, {})).toMatchObject([{ filter: null, filter_template, params_schema: null }]);
    expect(await runAlias(store, { name: 't' })).toHaveLength(1);
    expect(await runAlias(store, { name: 't', params: { state: 'none' } })).toHaveLength(0);
  });

  it('that renders to no filter, or to one of unknown fields, is VALIDATION_ERROR', async () => {
    const { store } = world();
    for (const [name, filter_template] of [
      ['no_json', 'x{{ a }}'],
      ['no_filter', '{"a":"{{ a }}"}'],
      ['no_field', '{"type":"eq","field":"{{ a }}","value":"x"}'],
    ] as const) {
      await createAlias(store, { table: 'issues', name, filter_template, params_schema: ['a'] }, caller);
      const error = await refusal(runAlias(store, { name, params: { a: 'nope' } }));
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });

  it('aggregates over several tables and over those that a pattern matches when it runs', async () => {
    const { directory, store } = world();
    await addRows(store, 'log_a', ['x', 'yy']);
    await addRows(store, 'log_b', ['z', 'w', 'v']);
    const count = { aggregator: { kind: 'count' }, filter: any };
    await createAlias(
      store,
      { name: 'multi', sources: { kind: 'multi', value: ['log_a', 'log_b'] }, ...count },
      caller,
    );
    await createAlias(store, { name: 'glob', sources: { kind: 'pattern', value: 'log_*' }, ...count }, caller);
    await createAlias(store, { name: 'exact', sources: { kind: 'pattern', value: 'log' }, ...count }, caller);
    await createAlias(
      store,
      { name: 'sum', table: 'log_a', aggregator: { kind: 'sum', field: 'points' }, filter: any },
      caller,
    );
    expect(await runAlias(store, { name: 'multi' })).toEqual({ kind: 'count', value: 5 });
    expect(await runAlias(store, { name: 'glob' })).toEqual({ kind: 'count', value: 5 });
    expect(await runAlias(store, { name: 'sum' })).toEqual({ kind: 'value', value: 3 });
    expect(await refusal(runAlias(store, { name: 'exact' }))).toMatchObject({ code: 'AGGREGATOR_ERROR' });
    addTable(directory, 'user', 'log_c');
    await store.registry.reload();
    await addRows(store, 'log_c', ['new']);
    expect(await runAlias(store, { name: 'glob' })).toEqual({ kind: 'count', value: 6 });
    const names = async (table: string) => (await listAliases(store, { table })).map((alias) => alias.name);
    expect(await names('log_b')).toEqual(['glob', 'multi']);
    expect(await names('log_c')).toEqual(['glob']);
    expect(await names('log')).toEqual(['exact']);
    expect(await names('nothing')).toEqual([]);
  });

  it('over several tables needs an aggregator when it runs', async () => {
    const { store } = world();
    await createAlias(store, { name: 'm', sources: { kind: 'multi', value: ['log_a', 'log_b'] }, filter: any }, caller);
    await createAlias(store, { name: 'p', sources: { kind: 'pattern', value: '*' }, filter: any }, caller);
    for (const name of ['m', 'p']) {
      const error = await refusal(runAlias(store, { name }));
      expect(error).toMatchObject({
        code: 'AGGREGATOR_ERROR',
        message: expect.stringContaining('aggregator is required'),
      });
    }
  });
});

describe('creation', () => {
  const base = { table: 'issues', name: 'x', filter: any };

  it.each([
    [
      { ...base, filter: { type: 'eq', field: 'nope', value: 1 } },
      { code: 'VALIDATION_ERROR', field: 'nope' },
    ],
    [
      { ...base, filter_template: byState },
      { code: 'VALIDATION_ERROR', field: 'filter_template' },
    ],
    [
      { table: 'issues', name: 'x' },
      { code: 'VALIDATION_ERROR', field: 'filter' },
    ],
    [{ name: 'x', filter: any }, { code: 'TABLE_REQUIRED' }],
    [{ ...base, table: 'nope' }, { code: 'TABLE_NOT_FOUND' }],
    [
      { ...base, sources: { kind: 'single', value: 'issues' } },
      { code: 'VALIDATION_ERROR', field: 'sources' },
    ],
    [{ ...base, table: undefined, sources: { kind: 'multi', value: ['issues', 'nope'] } }, { code: 'TABLE_NOT_FOUND' }],
    [{ ...base, table: undefined, sources: { kind: 'multi', value: ['issues', 'issues'] } }, { field: 'sources' }],
    [{ ...base, table: undefined, sources: { kind: 'pattern', value: 'a?' } }, { code: 'AGGREGATOR_ERROR' }],
    [
      { ...base, aggregator: { kind: 'sum', field: 'nope' } },
      { code: 'VALIDATION_ERROR', field: 'nope' },
    ],
    [
      { ...base, fields: { mode: 'list', fields: ['nope'] } },
      { code: 'VALIDATION_ERROR', field: 'nope' },
    ],
    [
      { ...base, order_by: [{ field: 'nope' }] },
      { code: 'VALIDATION_ERROR', field: 'nope' },
    ],
    [
      { ...base, limit: 1, default_limit: 2 },
      { code: 'VALIDATION_ERROR', field: 'default_limit' },
    ],
    [
      { ...base, name: ' ' },
      { code: 'VALIDATION_ERROR', field: 'name' },
    ],
    [{ table: 'issues', name: 'x', filter_template: '{{ a' }, { code: 'ALIAS_TEMPLATE_ERROR' }],
    [{ table: 'issues', name: 'x', filter_template: '{% include "a" %}' }, { code: 'ALIAS_TEMPLATE_ERROR' }],
    [{ table: 'issues', name: 'x', filter_template: byState, params_schema: ['a b'] }, { field: 'params_schema' }],
    [{ table: 'issues', name: 'x', filter_template: byState, params_schema: ['a', 'a'] }, { field: 'params_schema' }],
  ])('refuses %j', async (input, expected) => {
    const { store } = world();
    expect(await refusal(createAlias(store, input, caller))).toMatchObject(expected);
    expect(await listAliases(store, {})).toEqual([]);
  });

  it('takes limit for default_limit, and both when they agree', async () => {
    const { store } = world();
    await createAlias(store, { ...base, limit: 7 }, caller);
    await createAlias(store, { ...base, name: 'y', limit: 3, default_limit: 3 }, caller);
    expect(await listAliases(store, {})).toMatchObject([{ default_limit: 7 }, { default_limit: 3 }]);
  });

  it('refuses a name that exists, also when two come at once', async () => {
    const { store } = world();
    const [, second] = await Promise.allSettled([createAlias(store, base, caller), createAlias(store, base, caller)]);
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'ALIAS_ALREADY_EXISTS' } });
  });

  it('is an event with its caller, in the log of the scope', async () => {
    const { directory, store } = world();
    await createAlias(store, base, caller);
    await deleteAlias(store, { name: 'x' }, caller);
    const database = new Sqlite(join(directory, 'user', '_global.db'));
    const events = database.prepare('SELECT type, actor, body FROM _events ORDER BY seq').all() as { body: string }[];
    expect(events).toMatchObject([
      { type: 'alias.created', actor: 'tester' },
      { type: 'alias.deleted', actor: 'tester', body: '{"name":"x"}' },
    ]);
    expect(() => database.exec('DELETE FROM _events')).toThrow('append-only');
    expect(aliasShape.safeParse(JSON.parse(events[0]?.body ?? '')).success).toBe(true);
    database.close();
  });
});

describe('scopes', () => {
  it('hold the same name twice, the project first', async () => {
    const { directory, store } = world();
    addTable(directory, 'project', 'tasks');
    await store.registry.reload();
    await createAlias(store, { table: 'issues', name: 'x', filter: any, scope: 'user', description: 'u' }, caller);
    await createAlias(store, { table: 'tasks', name: 'x', filter: any, description: 'p' }, caller);
    await createAlias(store, { table: 'issues', name: 'a', filter: any, scope: 'user' }, caller);
    expect(await listAliases(store, {})).toMatchObject([
      { name: 'a', scope: 'user' },
      { name: 'x', scope: 'project', description: 'p' },
    ]);
    await deleteAlias(store, { name: 'x' }, caller);
    expect(await listAliases(store, {})).toMatchObject([{ name: 'a' }, { name: 'x', scope: 'user', description: 'u' }]);
  });

  it('create nothing by reading, and the project directory by a write to it', async () => {
    const { directory, store } = world();
    expect(await listAliases(store, {})).toEqual([]);
    expect(existsSync(join(directory, 'user', '_global.db'))).toBe(false);
    await createAlias(store, { table: 'issues', name: 'x', filter: any }, caller);
    expect(existsSync(join(directory, 'user', '_global.db'))).toBe(true);
    expect(existsSync(join(directory, 'project'))).toBe(false);
    await createAlias(store, { table: 'issues', name: 'x', filter: any, scope: 'project' }, caller);
    expect(existsSync(join(directory, 'project', '_global.db'))).toBe(true);
  });

  it('that have no directory are refused', async () => {
    const directory = tempDir();
    addTable(directory, 'user', 'issues');
    const environment = { MINI_APP_USER_DIR: join(directory, 'user'), MINI_APP_PROJECT_DIR: '' };
    const store = mountStore(directory, environment);
    const definition = { table: 'issues', name: 'x', filter: any };
    const error = await refusal(createAlias(store, { ...definition, scope: 'project' }, caller));
    expect(error).toMatchObject({ code: 'CONFIG_ERROR', message: expect.stringContaining('Project is not mounted') });
    await createAlias(store, definition, caller);
    expect(await deleteAlias(store, { name: 'x' }, caller)).toEqual({ deleted: 'x' });
  });
});

describe('legacy mode without directories', () => {
  function legacy(): { directory: string; environment: Record<string, string> } {
    const directory = tempDir();
    mkdirSync(join(directory, 'data'));
    writeFileSync(join(directory, 'schema.yaml'), issuesSchema);
    return { directory, environment: { MINI_APP_DB: join(directory, 'data', 'my.db') } };
  }

  it('keeps aliases in the table, through its own log', async () => {
    const { directory, environment } = legacy();
    const store = mountStore(directory, environment);
    await addRows(store, 'issues', ['a', 'b']);
    await createAlias(store, { name: 'x', filter: open, default_limit: 1 }, caller);
    await createAlias(store, { name: 't', filter_template: byState, params_schema: ['state'] }, caller);
    expect(await listAliases(store, {})).toMatchObject([
      { name: 't', filter: null, params_schema: ['state'] },
      { name: 'x', filter: open, sources: { kind: 'single', value: 'issues' }, default_limit: 1 },
    ]);
    expect(await runAlias(store, { name: 'x' })).toHaveLength(1);
    expect(await runAlias(store, { name: 't', params: { state: 'open' } })).toHaveLength(2);
    const [, , event] = await store.registry.resolve(undefined).open().log.readAfter(0, 10);
    expect(event).toMatchObject({ type: 'alias.created', rowId: null });
    await deleteAlias(store, { name: 'x' }, caller);
    const again = mountStore(directory, environment);
    expect((await listAliases(again, { table: 'issues' })).map((alias) => alias.name)).toEqual(['t']);
    expect(existsSync(join(directory, 'data', '_global.db'))).toBe(false);
  });

  it.each([
    [{ sources: { kind: 'pattern', value: 'i*' } }, 'sources'],
    [{ sources: { kind: 'multi', value: ['issues'] } }, 'sources'],
    [{ fields: { mode: 'list', fields: ['title'] } }, 'fields'],
    [{ order_by: [{ field: 'title' }] }, 'order_by'],
    [{ aggregator: { kind: 'count' } }, 'aggregator'],
  ])('refuses what it cannot keep: %j', async (more, field) => {
    const { directory, environment } = legacy();
    const store = mountStore(directory, environment);
    const error = await refusal(createAlias(store, { name: 'x', filter: any, ...more }, caller));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', field });
  });
});
