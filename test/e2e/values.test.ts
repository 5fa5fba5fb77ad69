/** Values at the edges, to the wire and back through an independent client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { predecessorDatabase } from '../helpers/predecessor.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { environment, program, Server, writeTable } from './server.js';

let directory: string;
let path: string;
let client: Client | null = null;
let server: Server | null = null;

beforeEach(() => {
  directory = newDir();
  path = writeTable(`${directory}/user`);
});

afterEach(async () => {
  await client?.close();
  await server?.stop();
  client = null;
  server = null;
  removeDir(directory);
});

async function connected(): Promise<Client> {
  client = new Client({ name: 'sdk', version: '1' });
  const command = { command: process.execPath, args: [program, '--mcp'], cwd: directory, env: environment(directory) };
  await client.connect(new StdioClientTransport(command));
  return client;
}

/** The raw text of a tool's answer. */
async function text(name: string, args: object): Promise<string> {
  const connection = client ?? (await connected());
  const result = await connection.callTool({ name, arguments: { table: 'issues', ...args } });
  const [block] = result.content as { text: string }[];
  return block?.text ?? '';
}

describe('refused with the place where it is', () => {
  test.each([
    ['an integer beyond 2^53', '{"title":"x","more":{"a":[1,{"n":9007199254740993}]}}', 'more.a[1].n', '2^53'],
    ['a number that is none', '{"title":"x","points":1e999}', 'points', 'finite'],
    ['NUL', '{"title":"a\\u0000b"}', 'title', 'NUL'],
    ['a lone surrogate', '{"title":"x","tags":["\\ud83d"]}', 'tags[0]', 'surrogate'],
    ['NUL in a key', '{"title":"x","a\\u0000":1}', 'a\u0000', 'NUL'],
    ['nesting without end', `{"title":"x","more":${'{"a":'.repeat(600)}1${'}'.repeat(600)}}`, 'more.a', 'deep'],
  ])('%s', async (_name, data, field, reason) => {
    server = new Server(directory);
    const { isError, body } = await server.callText('create', `{"table":"issues","data":${data}}`);
    expect(isError).toBe(true);
    expect(String(body.field)).toContain(field);
    expect(String(body.reason)).toContain(reason);
    expect((await server.call('list', { table: 'issues' })).text).toBe('[]');
  });
});

describe('comes back as it went', () => {
  test.each([
    ['emoji', { title: '👩‍👩‍👧‍👦 🏳️‍🌈', tags: ['😀'] }],
    ['right-to-left text', { title: 'שלום עולם', state: 'مرحبا \u202e reversed' }],
    ['a key like __proto__', JSON.parse('{"title":"x","__proto__":{"polluted":true},"constructor":1}')],
    ['numbers', { title: 'x', points: -0.1e-7, more: { most: 9_007_199_254_740_991, least: -9_007_199_254_740_991 } }],
    [
      'a thousand fields',
      Object.fromEntries([['title', 'x'], ...Array.from({ length: 1000 }, (_, at) => [`field ${at}`, at])]),
    ],
    ['two megabytes', { title: 'x', state: 'é😀 '.repeat(300_000) }],
    ['separators of lines', { title: 'a\u2028b\u2029c\u0085d\r\n\t\uffff\u{1d173}' }],
  ])('%s', async (_name, data) => {
    const created = JSON.parse(await text('create', { data })) as { id: string; data: unknown };
    expect(JSON.stringify(created.data)).toBe(JSON.stringify(data));
    const row = JSON.parse(await text('get', { id: created.id })) as { data: unknown };
    expect(JSON.stringify(row.data)).toBe(JSON.stringify(data));
    expect(Object.prototype).not.toHaveProperty('polluted');
  });
});

test('digits of the predecessor’s big integers come back, also after another field changed', async () => {
  const database = predecessorDatabase(path);
  const data = '{"big":123456789012345678901234567890,"float":1.0,"title":"old"}';
  const id = '0f0e0d0c-0b0a-4908-8706-050403020100';
  database.prepare('INSERT INTO rows VALUES (?, ?, 1, 1)').run(id, data);
  database.close();
  expect(await text('get', { id })).toContain(`"data":${data}`);
  expect(await text('list', {})).toContain(data);
  const updated = await text('update', { id: '0f0e', data: { title: 'new' } });
  expect(updated).toContain('{"big":123456789012345678901234567890,"float":1.0,"title":"new"}');
});

test('an answer that a client would hang up on is told apart, and the session goes on', async () => {
  const connection = await connected();
  // From then on the client checks what is answered against the published schemas.
  await connection.listTools();
  const title = 'x'.repeat(6_000_000);
  const large = { table: 'issues', data: { title } };
  const created = await connection.callTool({ name: 'create', arguments: large });
  expect(created).toMatchObject({ isError: false, structuredContent: { value: { data: { title } } } });
  expect(JSON.stringify(created.content)).toContain('in structuredContent only');
  const { id } = JSON.parse(await text('list', { fields: { mode: 'list', fields: [] } }))[0];
  const got = await connection.callTool({ name: 'get', arguments: { table: 'issues', id } });
  expect(got.structuredContent).toMatchObject({ value: { id, data: { title } } });
  await connection.callTool({ name: 'create', arguments: large });
  const both = connection.callTool({ name: 'list', arguments: { table: 'issues' } });
  await expect(both).rejects.toThrow(/has 1[23] MB, and 10 MB are the most.*limit/);
  expect(JSON.parse(await text('info', {}))).toMatchObject({ rows: 2 });
}, 60_000);
