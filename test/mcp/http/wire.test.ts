/** Both protocol eras on one endpoint: raw requests, so that every header and byte is seen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exactText } from '../../helpers/demo-view.js';
import {
  ask,
  callOf,
  initialize,
  modern,
  rpc,
  startServer,
  type TestServer,
  writeIssues,
} from '../../helpers/http-server.js';
import { newDir, removeDir } from '../../helpers/temp-dir.js';

let directory: string;
let server: TestServer;
let port: number;

beforeAll(async () => {
  directory = newDir();
  writeIssues(directory);
  server = await startServer(directory);
  port = server.address.port;
});

afterAll(async () => {
  await server.close();
  removeDir(directory);
});

const session = async () => String((await ask(port, { body: initialize })).headers['mcp-session-id']);

describe('the 2025 era', () => {
  it('hands out a session id with initialize and serves it', async () => {
    const opened = await ask(port, { body: initialize });
    expect(opened).toMatchObject({ status: 200, json: { id: 'init', result: { protocolVersion: '2025-06-18' } } });
    const id = String(opened.headers['mcp-session-id']);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    const headers = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-06-18' };
    const noted = await ask(port, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    expect([noted.status, noted.text]).toEqual([202, '']);
    const listed = await ask(port, { headers, body: rpc(1, 'tools/list') });
    expect(listed.headers['content-type']).toBe('application/json');
    expect(listed.json.result.tools.map((tool: { name: string }) => tool.name)).toContain('create');
    const who = await ask(port, { headers, body: callOf(2, 'whoami') });
    expect(JSON.parse(who.json.result.content[0].text)).toMatchObject({
      actor: 'raw-client',
      origin: { client: 'raw-client', client_version: '9', request: '2', session: id.slice(0, 36) },
    });
  });

  it('takes requests without a session, and batches', async () => {
    const single = await ask(port, { body: callOf(1, 'echo', { text: 'alone' }) });
    expect(single.json.result.content[0].text).toBe('{"text":"alone"}');
    expect(single.headers['mcp-session-id']).toBeUndefined();
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const batch = await ask(port, {
      body: [callOf('a', 'echo', { text: 'a' }), note, callOf('b', 'echo', { text: 'b' })],
    });
    expect(batch.json.map((message: { id: string }) => message.id).sort()).toEqual(['a', 'b']);
  });

  it('writes stored numbers digit for digit', async () => {
    const { text } = await ask(port, { body: callOf(1, 'exact') });
    expect(text).toContain(`"structuredContent":{"value":{"data":${exactText}}}`);
  });

  it('answers by stream when the client takes nothing else', async () => {
    const answer = await ask(port, { headers: { Accept: 'text/event-stream' }, body: callOf(1, 'exact') });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(answer.text).toContain(exactText);
    expect(answer.json.id).toBe(1);
  });

  it('refuses an id that is in flight, and answers the first one', async () => {
    const headers = { 'Mcp-Session-Id': await session() };
    const first = ask(port, { headers, body: callOf(7, 'slow', { ms: 200 }) });
    await expect.poll(() => server.demo.events).toContain('slow began');
    const second = await ask(port, { headers, body: callOf(7, 'echo', { text: 'x' }) });
    expect(second.json.error.code).toBe(-32600);
    expect((await first).json.result.content[0].text).toBe('"slow done"');
  });

  it('ends the answer of a cancelled call', async () => {
    const headers = { 'Mcp-Session-Id': await session() };
    const called = ask(port, { headers, body: callOf(8, 'slow', { ms: 30_000 }) });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } };
    expect((await ask(port, { headers, body: cancel })).status).toBe(202);
    expect((await called).text).not.toContain('result');
  });

  it('ends a session with DELETE', async () => {
    const headers = { 'Mcp-Session-Id': await session() };
    expect((await ask(port, { method: 'DELETE', headers })).status).toBe(200);
    expect((await ask(port, { headers, body: rpc(1, 'tools/list') })).status).toBe(404);
    expect((await ask(port, { method: 'DELETE', headers })).status).toBe(404);
    expect((await ask(port, { method: 'DELETE' })).status).toBe(400);
  });

  it('adopts an id that it never gave out, and knows again who introduced itself', async () => {
    const foreign = await ask(port, { headers: { 'Mcp-Session-Id': 'from-elsewhere' }, body: callOf(1, 'whoami') });
    expect(JSON.parse(foreign.json.result.content[0].text).actor).toBe('unknown');
    const id = await session();
    server.sessions.sweep(-1_000);
    await expect.poll(() => server.sessions.size).toBe(0);
    const adopted = await ask(port, { headers: { 'Mcp-Session-Id': id }, body: callOf(1, 'whoami') });
    expect(JSON.parse(adopted.json.result.content[0].text)).toMatchObject({
      actor: 'raw-client',
      origin: { client_version: '9', protocol: '2025-06-18' },
    });
  });
});

describe('the 2026 era', () => {
  it('serves requests that stand alone', async () => {
    const found = await ask(port, modern(1, 'server/discover'));
    expect(found).toMatchObject({ status: 200, json: { id: 1 } });
    expect(found.json.result.capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
    });
    const who = await ask(port, modern('x', 'tools/call', { name: 'whoami', arguments: {} }));
    expect(JSON.parse(who.json.result.content[0].text)).toMatchObject({ actor: 'modern-client' });
  });

  it('writes stored numbers digit for digit', async () => {
    const { text } = await ask(port, modern(1, 'tools/call', { name: 'exact', arguments: {} }));
    expect(text).toContain(`"structuredContent":{"value":{"data":${exactText}}}`);
  });

  it('reads resources, with its own code for an unknown one', async () => {
    const read = await ask(port, modern(1, 'resources/read', { uri: 'schema://json?table=issues' }));
    expect(JSON.parse(read.json.result.contents[0].text)).toMatchObject({ table: 'issues', history: 'full' });
    const unknown = await ask(port, modern(2, 'resources/read', { uri: 'schema://xml' }));
    expect(unknown.json.error).toMatchObject({ code: -32602, data: { uri: 'schema://xml' } });
  });
});
