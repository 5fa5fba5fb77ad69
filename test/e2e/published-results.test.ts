/** Every tool's success, in both protocol eras, against the schema that the tool publishes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Binding } from '../../src/mcp/binding.js';
import { Projection } from '../../src/mcp/projection.js';
import { coreTools } from '../../src/mcp/tools/index.js';
import { ask, callOf, connect, initialize, modern, rpc, startServer, type TestServer } from '../helpers/http-server.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';

let directory: string;
let server: TestServer;

beforeEach(async () => {
  directory = newDir();
  mkdirSync(join(directory, 'user'));
  server = await startServer(directory);
});

afterEach(async () => {
  await server.close();
  removeDir(directory);
});

type Args = Record<string, unknown>;
type Send = (method: string, params: Args) => Promise<Args>;

const eras: Record<string, () => Promise<Send>> = {
  '2025': async () => {
    const { headers } = await ask(server.address.port, { body: initialize });
    const session = { 'Mcp-Session-Id': String(headers['mcp-session-id']) };
    return async (method, params) =>
      (await ask(server.address.port, { headers: session, body: rpc(1, method, params) })).json.result;
  },
  '2026': async () => async (method, params) => (await ask(server.address.port, modern(1, method, params))).json.result,
};

it.each(Object.keys(eras))('era %s: each success fits its schema', async (era) => {
  const send = await (eras[era]?.() ?? Promise.reject(new Error(era)));
  const validators = await validatorsOf(send);
  const called = new Set<string>();
  const call = async (name: string, args: Args = {}) => {
    const result = await send('tools/call', { name, arguments: { table: 'notes', ...args } });
    expect(result, `${name} ${JSON.stringify(result.content)}`).toMatchObject({ isError: false });
    const validate = validators.get(name);
    expect(validate?.(result.structuredContent), `${name} ${JSON.stringify(validate?.errors)}`).toBe(true);
    called.add(name);
    return (result.structuredContent as { value: Args }).value;
  };
  await callAll(call);
  expect([...called].sort()).toEqual(coreTools.map(nameOf).sort());
});

it('lists the same tools in the same order, whatever is asked of it between', async () => {
  const [old, now] = await Promise.all(Object.values(eras).map((open) => open()));
  if (old === undefined || now === undefined) throw new Error('two eras');
  const first = JSON.stringify((await old('tools/list', {})).tools);
  await now('tools/call', { name: 'schema_create', arguments: { table: 'zeta', scope: 'user', fields } });
  await old('tools/call', { name: 'reload', arguments: {} });
  expect(JSON.stringify((await old('tools/list', {})).tools)).toBe(first);
  expect(JSON.stringify((await now('tools/list', {})).tools)).toBe(first);
});

it('answers over HTTP to what is no call at all', async () => {
  const { client } = await connect(server.url, 'sdk');
  await client.callTool({ name: 'schema_create', arguments: { table: 'notes', scope: 'user', fields } });
  const bodies: unknown[] = [
    '{',
    '[]',
    '""',
    'null',
    '[[[[',
    '{"jsonrpc":"2.0"}',
    '\u0000',
    `"${'x'.repeat(5_000_000)}"`,
  ];
  bodies.push(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, rpc(1, 'x'.repeat(10_000)), rpc(1, '__proto__'));
  for (const args of [null, [], 'x', 5]) bodies.push(rpc(2, 'tools/call', { name: 'info', arguments: args }));
  for (const name of ['', '__proto__', 'constructor', 'x'.repeat(100_000), null])
    bodies.push(rpc(3, 'tools/call', { name }));
  for (const body of bodies) {
    const { status, text } = await ask(server.address.port, { body });
    expect(status, text.slice(0, 200)).toBeGreaterThanOrEqual(200);
    expect(status, text.slice(0, 200)).toBeLessThan(500);
    expect(text.length).toBeLessThan(20_000);
    expect(text).not.toMatch(/\n\s+at |node_modules|\.ts:\d/);
  }
  const bad = { table: '../../x', filter: { type: 'eq', field: '__proto__', value: 1 } };
  const refused = await client.callTool({ name: 'list', arguments: bad });
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"hint":') }] });
  expect(await client.callTool({ name: 'info', arguments: { table: 'notes' } })).toMatchObject({ isError: false });
  expect((await ask(server.address.port, { body: callOf(9, 'reload') })).status).toBe(200);
  await client.close();
});

const nameOf = ({ operation }: Binding) => operation.annotations.get(Projection.Annotation)?.name;
const fields = [{ name: 'title', type: 'string', required: true }];

async function validatorsOf(send: Send) {
  const { tools } = (await send('tools/list', {})) as { tools: { name: string; outputSchema?: object }[] };
  const ajv = new Ajv2020({ strict: false });
  return new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema ?? false)]));
}

/** A table's whole life: every tool once, most of them with each shape of answer that they have. */
async function callAll(call: (name: string, args?: Args) => Promise<Args>): Promise<void> {
  const none = { table: undefined };
  await call('schema_create', { scope: 'user', fields, dry_run: true });
  await call('schema_create', { scope: 'user', fields });
  const { id } = await call('create', { data: { title: 'a\nb' }, idempotency_key: 'k' });
  expect(await call('create', { data: { title: 'a\nb' }, idempotency_key: 'k' })).toMatchObject({ replayed: true });
  await call('info');
  await call('get', { id });
  await call('get', { id, fields: { mode: 'list', fields: ['title'] } });
  await call('list', { order_by: [{ field: 'title' }] });
  await call('update', { id, data: { title: 'c\nd' } });
  await call('row_restore', { id, version: 1 });
  await call('content_view', { id, field: 'title' });
  await call('content_replace', { id, field: 'title', old_str: 'a', new_str: 'e' });
  await call('content_insert', { id, field: 'title', line: 0, content: 'top' });
  await call('schema_update', { scope: 'user', fields: [...fields, { name: 'n', type: 'number' }] });
  const ops = [
    { op: 'data_insert', data: { title: 'x' } },
    { op: 'query', sql: 'SELECT count(*) FROM rows' },
  ];
  await call('schema_batch', { ops, dry_run: true });
  await call('schema_batch', { ops });
  await call('data_snapshot', { dry_run: true });
  await call('data_snapshot');
  const dest = join(directory, 'out');
  const selector = { type: 'by_filter', filter: { type: 'eq', field: 'title', value: 'x' } };
  await call('row_materialize', { selector, fields: { mode: 'all' }, format: 'yaml', dest });
  await call('alias_create', { name: 'all', filter: { type: 'like', field: 'title', pattern: '%' } });
  await call('alias_create', {
    name: 'many',
    filter: { type: 'eq', field: 'title', value: 'x' },
    aggregator: { kind: 'count' },
  });
  await call('alias_list');
  await call('alias_run', { name: 'all' });
  await call('alias_run', { name: 'many' });
  await call('alias_delete', { name: 'all' });
  const sources = { kind: 'single', value: 'notes' };
  const inner = { kind: 'count' };
  await call('query_aggregate', { ...none, sources, aggregator: inner });
  await call('query_aggregate', { ...none, sources, aggregator: { kind: 'group_by', by_field: 'title', inner } });
  await call('delete', { id });
  await call('reload', none);
  await call('schema_delete', { scope: 'user' });
}
