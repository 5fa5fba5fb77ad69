/** The built-in tools over real tables, through an independent client that validates every structured result. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Services } from '../../src/mcp/contract.js';
import { serverInstructions } from '../../src/mcp/instructions.js';
import { createLogger } from '../../src/mcp/log.js';
import { PluginHost } from '../../src/mcp/plugins/plugin-host.js';
import { type StdioSession, serveMcpOverStdio } from '../../src/mcp/serve-stdio.js';
import { protocolOutput } from '../../src/mcp/stdout-guard.js';
import { offerCoreTools } from '../../src/mcp/tools/index.js';
import { storeKey } from '../../src/mcp/tools/store-key.js';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';
import { connectClient, newStreams, type Streams } from '../helpers/line-client.js';

const schema = `table: issues
fields:
  - { name: title, type: string, required: true }
  - { name: state, type: string }
  - { name: points, type: number }
  - { name: tags, type: array }
`;

let directory: string;
let registry: TableRegistry;
let session: StdioSession;
let streams: Streams;
let client: Client;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mini-app-mcp-'));
  await mkdir(join(directory, 'user', 'issues'), { recursive: true });
  await writeFile(join(directory, 'user', 'issues', 'schema.yaml'), schema);
  const environment = { MINI_APP_USER_DIR: join(directory, 'user'), MINI_APP_PROJECT_DIR: join(directory, 'project') };
  const config = loadConfig(environment, directory);
  registry = TableRegistry.mount({ config, session: 's', now: Date.now, log: () => undefined });
  const store = { registry, now: Date.now, newId: randomUUID };
  const catalogue = new Catalogue(new Services().provide(storeKey, store), createLogger({ write: () => undefined }));
  await offerCoreTools(new PluginHost(catalogue));
  streams = newStreams();
  const { input, output } = streams;
  session = serveMcpOverStdio({ catalogue, instructions: serverInstructions, input, output: protocolOutput(output) });
  client = await connectClient(streams);
  await client.listTools();
});

afterEach(async () => {
  await client.close();
  await session.closed;
  await registry.close();
  await rm(directory, { recursive: true });
});

type Body = Record<string, unknown>;

/** The parsed text block of a call; for a success also checked against the structured content. */
async function call(name: string, args: Body): Promise<Body> {
  const result = await client.callTool({ name, arguments: { table: 'issues', ...args } });
  const [block, ...others] = Array.isArray(result.content) ? result.content : [];
  expect(others).toEqual([]);
  const body: unknown = JSON.parse(block.text);
  if (result.isError === true) expect(result).not.toHaveProperty('structuredContent');
  else expect(result.structuredContent).toEqual({ value: body });
  return body as Body;
}

describe('the built-in tools', () => {
  it('create, get, list, update, delete and restore a row', async () => {
    const created = await call('create', { data: { title: 'First', points: 3 } });
    expect(Object.keys(created)).toEqual(['id', 'data', 'created_at', 'updated_at', 'version']);
    const id = String(created.id);
    expect(await call('get', { id: id.slice(0, 8), fields: { mode: 'list', fields: ['points'] } })).toMatchObject({
      id,
      data: { points: 3 },
    });
    const updated = await call('update', { id, data: { state: 'open', points: null }, expected_version: 1 });
    expect(updated).toMatchObject({ data: { title: 'First', state: 'open' }, version: 2 });
    const filter = { type: 'eq', field: 'state', value: 'open' };
    expect(await call('list', { filter, order_by: [{ field: 'title' }], limit: 5_000 })).toHaveLength(1);
    expect(await call('delete', { id })).toEqual({ deleted: id });
    expect(await call('get', { id })).toMatchObject({ kind: 'business', code: 'NOT_FOUND' });
    expect(await call('row_restore', { id, version: 1 })).toMatchObject({ id, data: { title: 'First', points: 3 } });
  });

  it('describe and reload', async () => {
    expect(await call('info', {})).toMatchObject({ table: 'issues', rows: 0, fields: [{ name: 'title' }, {}, {}, {}] });
    const result = await client.callTool({ name: 'reload' });
    expect(result.structuredContent).toEqual({ value: { mounted: 1, added: [], removed: [], failed: [] } });
  });

  it('answer errors of the store with their extras', async () => {
    const { id } = await call('create', { data: { title: 'x' } });
    const conflict = await call('update', { id, data: { title: 'y' }, expected_version: 9 });
    expect(conflict).toMatchObject({ code: 'VERSION_CONFLICT', expected: 9, actual: 1, row: { data: { title: 'x' } } });
    const invalid = await call('create', { data: { state: 'open' } });
    expect(invalid).toMatchObject({ kind: 'business', code: 'VALIDATION_ERROR', field: 'title' });
    expect(await call('create', { data: '[1]' })).toMatchObject({ kind: 'input', field: 'data' });
    expect(await call('list', { fitler: {} })).toMatchObject({ kind: 'input', did_you_mean: 'filter' });
    const unnamed = await client.callTool({ name: 'info', arguments: {} });
    expect(JSON.stringify(unnamed)).toContain('TABLE_REQUIRED');
  });

  it('accept data and filters that arrive as JSON text', async () => {
    await call('create', { data: '{"title":"{\\"a\\":1}"}' });
    const filter = '{"type":"like","field":"title","pattern":"%a%"}';
    expect(await call('list', { filter })).toMatchObject([{ data: { title: '{"a":1}' } }]);
  });

  it('write once for one idempotency key', async () => {
    const first = await call('create', { data: { title: 'once' }, idempotency_key: 'k' });
    const again = await call('create', { data: { title: 'once' }, idempotency_key: 'k' });
    expect(again).toEqual({ ...first, replayed: true });
    expect(await call('list', {})).toHaveLength(1);
  });

  it('record who asked', async () => {
    await call('create', { data: { title: 'x' } });
    const [event] = await registry.resolve('issues').open().log.readAfter(0, 10);
    expect(event).toMatchObject({ actor: 'test-client' });
    expect(JSON.parse(event?.origin ?? '')).toMatchObject({
      tool: 'create',
      client: 'test-client',
      client_version: '1.2.3',
    });
  });
});
