/** The row tools of the built program, through an independent client. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { environment, issuesSchema, program, writeTable } from './server.js';

let directory: string;
let client: Client;

beforeEach(() => {
  directory = newDir();
});

afterEach(async () => {
  await client.close();
  removeDir(directory);
});

async function connect(more: Record<string, string> = {}): Promise<void> {
  client = new Client({ name: 'sdk', version: '1' });
  const env = environment(directory, more);
  const command = { command: process.execPath, args: [program, '--mcp'], cwd: directory, env };
  await client.connect(new StdioClientTransport(command));
  // From now on the client checks every structured result against the tool's own schema.
  await client.listTools();
}

type Row = { id: string; data: Record<string, unknown>; version: number; created_at: number };

async function call(name: string, args: object = {}): Promise<unknown> {
  const result = await client.callTool({ name, arguments: { ...args } });
  const [block] = result.content as { text: string }[];
  const body = JSON.parse(block?.text ?? 'null');
  if (result.isError === true) throw body;
  expect(result.structuredContent).toEqual({ value: body });
  return body;
}

const row = (name: string, args: object) => call(name, args) as Promise<Row>;
const titles = async (args: object) => ((await call('list', args)) as Row[]).map(({ data }) => data.title);

async function wholeLife(table: object): Promise<void> {
  await expect(call('create', { ...table, data: {} })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    field: 'title',
  });
  const { id, version } = await row('create', { ...table, data: { title: 'a', points: 1 } });
  expect(version).toBe(1);
  expect(await row('get', { ...table, id: id.slice(0, 6).toUpperCase() })).toMatchObject({ id, data: { title: 'a' } });
  await row('update', { ...table, id, data: { points: null, state: 'open' } });
  expect((await row('update', { ...table, id, data: { title: 'b' }, mode: 'replace' })).data).toEqual({ title: 'b' });
  await expect(row('update', { ...table, id, data: { title: 'c' }, expected_version: 2 })).rejects.toMatchObject({
    code: 'VERSION_CONFLICT',
    actual: 3,
  });
  expect((await row('row_restore', { ...table, id, version: 2 })).data).toEqual({ title: 'a', state: 'open' });
  expect(await call('delete', { ...table, id })).toEqual({ deleted: id });
  await expect(call('delete', { ...table, id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const far = Math.floor(Date.now() / 1000) + 60;
  expect(await row('row_restore', { ...table, id: id.slice(0, 8), at_unix_secs: far })).toMatchObject({
    id,
    version: 6,
  });
  expect(await call('info', table)).toMatchObject({ table: 'issues', rows: 1, status: { head: 6, foreign_writes: 0 } });
}

describe('multi-table mode', () => {
  test('needs a table that is there', async () => {
    writeTable(join(directory, 'user'));
    await connect();
    await expect(call('list')).rejects.toMatchObject({ code: 'TABLE_REQUIRED', tables: ['issues'] });
    await expect(call('list', { table: 'isues' })).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND', table: 'isues' });
  });

  test('create, get, update, delete, restore, info', async () => {
    writeTable(join(directory, 'user'));
    await connect();
    await wholeLife({ table: 'issues' });
  });

  test('a project’s table stands before the user’s of the same name, wholly', async () => {
    writeTable(join(directory, 'user'));
    writeTable(join(directory, 'user'), 'notes');
    writeTable(
      join(directory, '.mini-app'),
      'issues',
      'table: issues\nfields: [{ name: name, type: string, required: true }]\n',
    );
    await connect();
    expect(await call('info', { table: 'issues' })).toMatchObject({ scope: 'project', fields: [{ name: 'name' }] });
    expect(await call('info', { table: 'notes' })).toMatchObject({ scope: 'user' });
    await expect(call('create', { table: 'issues', data: { title: 'x' } })).rejects.toMatchObject({ field: 'name' });
  });

  test('reload finds new tables, drops removed ones and reports broken ones', async () => {
    writeTable(join(directory, 'user'));
    await connect();
    writeTable(join(directory, 'user'), 'notes');
    mkdirSync(join(directory, 'user', 'broken'));
    writeFileSync(join(directory, 'user', 'broken', 'schema.yaml'), 'fields: nothing');
    expect(await call('reload')).toMatchObject({
      mounted: 2,
      added: ['notes'],
      removed: [],
      failed: [{ table: 'broken', code: 'SCHEMA_ERROR' }],
    });
    await row('create', { table: 'notes', data: { title: 'x' } });
  });
});

describe('legacy mode', () => {
  test('has its one table as the default, under its name too', async () => {
    writeFileSync(join(directory, 'schema.yaml'), issuesSchema);
    await connect({ MINI_APP_DB: join(directory, 'data.db'), MINI_APP_USER_DIR: '' });
    await wholeLife({});
    expect(await call('info', { table: 'issues' })).toMatchObject({ scope: 'legacy', rows: 1 });
  });
});

test('the env file sets what the environment does not', async () => {
  writeTable(join(directory, 'elsewhere'));
  writeTable(join(directory, 'user'), 'notes');
  writeFileSync(join(directory, '.mini-app-mcp.env'), 'MINI_APP_PROJECT_DIR=./elsewhere\nMINI_APP_USER_DIR=/nowhere\n');
  await connect();
  expect(await call('info', { table: 'issues' })).toMatchObject({ scope: 'project' });
  expect(await call('info', { table: 'notes' })).toMatchObject({ scope: 'user' });
});

describe('list', () => {
  beforeEach(async () => {
    writeTable(join(directory, 'user'));
    await connect();
    const rows = [
      { title: 'apple', state: 'open', points: 3, urgent: true, tags: ['x', 'y'] },
      { title: 'Banana', state: 'done', points: 1, urgent: false, tags: ['y'] },
      { title: 'cherry', state: 'open', points: 2, tags: [] },
      { title: 'date', points: 5 },
    ];
    for (const data of rows) await row('create', { table: 'issues', data });
  });

  const eq = (field: string, value: unknown) => ({ type: 'eq', field, value });

  test.each([
    ['eq', eq('state', 'open'), ['apple', 'cherry']],
    ['eq of a boolean', eq('urgent', false), ['Banana']],
    ['in', { type: 'in', field: 'points', values: [1, 5] }, ['Banana', 'date']],
    ['like', { type: 'like', field: 'title', pattern: 'b%' }, ['Banana']],
    ['array_contains', { type: 'array_contains', field: 'tags', value: 'y' }, ['apple', 'Banana']],
    ['array_not_contains', { type: 'array_not_contains', field: 'tags', value: 'y' }, ['cherry', 'date']],
    ['or', { type: 'or', filters: [eq('points', 1), eq('points', 2)] }, ['Banana', 'cherry']],
    ['and', { type: 'and', filters: [eq('state', 'open'), eq('points', 3)] }, ['apple']],
  ])('filters by %s', async (_name, filter, expected) => {
    expect(
      await titles({ table: 'issues', filter, order_by: [{ field: 'title' }] }).then((found) => found.sort()),
    ).toEqual([...expected].sort());
  });

  test('refuses filters, orders and fields that do not fit', async () => {
    await expect(call('list', { table: 'issues', filter: eq('stat', 'x') })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'stat',
    });
    await expect(call('list', { table: 'issues', order_by: [{ field: 'no' }] })).rejects.toMatchObject({ field: 'no' });
    await expect(call('list', { table: 'issues', fields: { mode: 'list', fields: ['no'] } })).rejects.toMatchObject({
      field: 'no',
    });
  });

  test('newest first, or as ordered; pages; only the fields asked for', async () => {
    expect(await titles({ table: 'issues' })).toEqual(['date', 'cherry', 'Banana', 'apple']);
    const order_by = [{ field: 'points', direction: 'desc' }];
    expect(await titles({ table: 'issues', order_by })).toEqual(['date', 'apple', 'cherry', 'Banana']);
    expect(await titles({ table: 'issues', order_by, limit: 2, offset: 1 })).toEqual(['apple', 'cherry']);
    expect(await titles({ table: 'issues', limit: 0 })).toEqual([]);
    const [first] = (await call('list', {
      table: 'issues',
      order_by,
      fields: { mode: 'list', fields: ['state', 'points'] },
    })) as Row[];
    expect(JSON.stringify(first?.data)).toBe('{"state":null,"points":5}');
  });
});
