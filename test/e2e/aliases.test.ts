/** Aliases through the built server and an independent client, over restarts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.js';
import { addTable, oldAliases } from '../ops/alias-world.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

type Call = (name: string, args?: Record<string, unknown>) => Promise<unknown>;

async function serve(directory: string, environment?: Record<string, string>): Promise<Call> {
  const env = environment ?? {
    MINI_APP_USER_DIR: join(directory, 'user'),
    MINI_APP_PROJECT_DIR: join(directory, 'project'),
  };
  const client = new Client({ name: 'e2e', version: '1' });
  const command = { command: process.execPath, args: [main, '--mcp'], cwd: directory, stderr: 'ignore' as const };
  await client.connect(new StdioClientTransport({ ...command, env: { PATH: process.env.PATH ?? '', ...env } }));
  clients.push(client);
  await client.listTools();
  return async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [block] = Array.isArray(result.content) ? result.content : [];
    const body: unknown = JSON.parse(block.text);
    if (result.isError !== true) expect(result.structuredContent).toEqual({ value: body });
    return body;
  };
}

async function stop(): Promise<void> {
  await clients.pop()?.close();
}

const any = { type: 'like', field: 'title', pattern: '%' };
const template = '{"type":"eq","field":"state","value":"{{ state }}"}';

it('aliases of both scopes live on over restarts, and deleted ones stay deleted', async () => {
  const directory = tempDir();
  addTable(directory, 'user', 'issues');
  addTable(directory, 'project', 'tasks');
  oldAliases(join(directory, 'user/issues/issues.db'), [{ name: 'old', filter: JSON.stringify(any) }], false);
  const first = await serve(directory);
  await first('create', { table: 'issues', data: { title: 'one', state: 'a"b' } });
  await first('create', { table: 'tasks', data: { title: 'two', points: 4 } });
  const made = { name: 'by_state', table: 'issues', filter_template: template, params_schema: ['state'] };
  expect(await first('alias_create', made)).toEqual({ created: 'by_state' });
  expect(await first('alias_create', made)).toMatchObject({ code: 'ALIAS_ALREADY_EXISTS', name: 'by_state' });
  const sources = { kind: 'multi', value: ['issues', 'tasks'] };
  await first('alias_create', { name: 'count', sources, aggregator: { kind: 'count' }, filter: any, scope: 'user' });
  expect(await first('alias_delete', { name: 'old' })).toEqual({ deleted: 'old' });
  await stop();

  const second = await serve(directory);
  const listed = await second('alias_list');
  expect(listed).toMatchObject([
    { name: 'by_state', scope: 'project', filter: null, filter_template: template, params_schema: ['state'] },
    { name: 'count', scope: 'user', sources, aggregator: { kind: 'count' }, filter: any },
  ]);
  expect(await second('alias_run', { name: 'count' })).toEqual({ kind: 'count', value: 2 });
  const rows = [{ data: { title: 'one' } }];
  expect(await second('alias_run', { name: 'by_state', params: { state: 'a"b' } })).toMatchObject(rows);
  expect(await second('alias_run', { name: 'by_state', params: '{"state":"a\\"b"}' })).toMatchObject(rows);
  expect(await second('alias_run', { name: 'by_state', params: { state: 'x","type":"or' } })).toEqual([]);
  expect(await second('alias_run', { name: 'by_state' })).toMatchObject({ code: 'ALIAS_PARAMS_REQUIRED' });
  expect(await second('alias_run', { name: 'by_state', params: {} })).toMatchObject({ code: 'ALIAS_TEMPLATE_ERROR' });
  const order_by = [{ field: 'nope' }];
  expect(await second('alias_run', { name: 'by_state', params: { state: 'x' }, order_by })).toMatchObject({
    code: 'VALIDATION_ERROR',
    field: 'nope',
  });
  await second('reload');
  expect(await second('alias_list')).toEqual(listed);
  await second('alias_delete', { name: 'count' });
  expect(await second('alias_run', { name: 'count' })).toMatchObject({ kind: 'business', code: 'ALIAS_NOT_FOUND' });
});

it('two servers on one directory see each other’s aliases', async () => {
  const directory = tempDir();
  addTable(directory, 'user', 'issues');
  const [one, two] = [await serve(directory), await serve(directory)];
  const made = { name: 'x', table: 'issues', filter: any };
  const answers = await Promise.all([one('alias_create', made), two('alias_create', made)]);
  expect(answers).toContainEqual({ created: 'x' });
  expect(answers).toContainEqual(expect.objectContaining({ code: 'ALIAS_ALREADY_EXISTS' }));
  expect(await two('alias_delete', { name: 'x' })).toEqual({ deleted: 'x' });
  expect(await one('alias_list')).toEqual([]);
});

it('legacy mode keeps them in the table’s own database', async () => {
  const directory = tempDir();
  addTable(directory, 'user', 'issues');
  const environment = {
    MINI_APP_DB: join(directory, 'data', 'legacy.db'),
    MINI_APP_SCHEMA: join(directory, 'user/issues/schema.yaml'),
  };
  const first = await serve(directory, environment);
  await first('create', { data: { title: 'one', state: 'open' } });
  await first('alias_create', { name: 't', filter_template: template, params_schema: ['state'], default_limit: 3 });
  const glob = { name: 'p', sources: { kind: 'pattern', value: '*' }, aggregator: { kind: 'count' }, filter: any };
  expect(await first('alias_create', glob)).toMatchObject({ code: 'VALIDATION_ERROR', field: 'sources' });
  await stop();
  const second = await serve(directory, environment);
  expect(await second('alias_list')).toMatchObject([{ name: 't', scope: 'legacy', default_limit: 3 }]);
  expect(await second('alias_run', { name: 't', params: { state: 'open' } })).toHaveLength(1);
  expect(await second('alias_delete', { name: 't' })).toEqual({ deleted: 't' });
  expect(existsSync(join(directory, 'data', '_global.db'))).toBe(false);
});
