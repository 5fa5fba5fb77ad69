import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exactText } from '../helpers/demo-view.js';
import { bundleServer, StdioClient } from '../helpers/stdio-client.js';

const started: StdioClient[] = [];
let directory: string;
let script: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mini-app-mcp-'));
  script = await bundleServer(directory);
}, 60_000);

afterAll(() => rm(directory, { recursive: true }));

function start(environment: Record<string, string> = {}): StdioClient {
  const client = new StdioClient(script, environment);
  started.push(client);
  return client;
}

afterEach(async () => {
  for (const client of started.splice(0)) {
    client.stdin.end();
    await client.ended();
  }
});

const modern = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientInfo': { name: 'modern-client', version: '3' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('the wire, line by line', { timeout: 30_000 }, () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('serves protocol version %s', async (version) => {
    const client = start();
    const { result } = await client.initialize(version);
    expect(result).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: 'mini-app-mcp', title: 'Mini App MCP — Agent-First CRUD Store' },
      capabilities: { tools: { listChanged: true } },
    });
    const answer = await client.call(2, 'whoami');
    expect(answer.result?.structuredContent).toMatchObject({
      value: { actor: 'raw-client', origin: { tool: 'whoami', request: '2', client_version: '9', protocol: version } },
    });
  });

  it('serves 2026-07-28 after server/discover', async () => {
    const client = start({ MINI_APP_ACTOR: 'operator' });
    const discovered = await client.request({ id: 1, method: 'server/discover', params: { _meta: envelope } });
    expect(discovered.result).toMatchObject({ supportedVersions: [modern] });
    const listed = await client.request({ id: 2, method: 'tools/list', params: { _meta: envelope } });
    expect(listed.result?.tools).toHaveLength(8);
    const params = { name: 'whoami', _meta: envelope };
    const answer = await client.request({ id: 3, method: 'tools/call', params });
    expect(answer.result?.structuredContent).toMatchObject({
      value: { actor: 'operator', origin: { client: 'modern-client', protocol: modern } },
    });
    const exact = await client.request({ id: 4, method: 'tools/call', params: { name: 'exact', _meta: envelope } });
    expect(exact.error).toBeUndefined();
    expect(client.lines.at(-1)).toContain(`"structuredContent":{"value":{"data":${exactText}}}`);
  });

  it('writes row data digit for digit', async () => {
    const client = start();
    await client.initialize();
    await client.call(2, 'exact');
    const line = client.lines.at(-1) ?? '';
    expect(line).toContain(`"structuredContent":{"value":{"data":${exactText}}}`);
    expect(line).toContain(`"text":${JSON.stringify(`{"data":${exactText}}`)}`);
  });

  it('answers bad lines and the good one after them', async () => {
    const client = start();
    await client.initialize();
    client.stdin.write('{"jsonrpc": nonsense\n\r\n[]\n');
    const answer = await client.call('good', 'echo', { text: 'still here' });
    expect(answer.result).toMatchObject({ isError: false });
    expect(client.messages.filter((message) => message.id === null).map((message) => message.error?.code)).toEqual([
      -32700, -32600,
    ]);
  });

  it('answers an unknown tool with a protocol error, a bad argument with a result', async () => {
    const client = start();
    await client.initialize();
    const unknown = await client.call(2, 'nowhere');
    expect(unknown.error).toMatchObject({ code: -32602, message: expect.stringContaining('List the tools again') });
    const refused = await client.call(3, 'echo', { txt: 'x' });
    expect(refused.result).toMatchObject({ isError: true });
    expect(refused.result).not.toHaveProperty('structuredContent');
    const unnamed = await client.request({ id: 4, method: 'tools/call', params: { name: 'echo' } });
    expect(unnamed.result).toMatchObject({ isError: false, structuredContent: { value: {} } });
  });

  it('sends no answer to a cancelled call', async () => {
    const client = start();
    await client.initialize();
    client.send({ id: 'slow', method: 'tools/call', params: { name: 'slow', arguments: { ms: 20_000 } } });
    client.send({ method: 'notifications/cancelled', params: { requestId: 'slow', reason: 'enough' } });
    await client.call('next', 'echo');
    client.stdin.end();
    expect((await client.ended()).ms).toBeLessThan(2_000);
    expect(client.messages.filter((message) => message.id === 'slow')).toEqual([]);
  });

  it('answers a call in flight when stdin ends, closes what it holds and is gone within two seconds', async () => {
    const client = start();
    await client.initialize();
    client.send({ id: 'slow', method: 'tools/call', params: { name: 'slow', arguments: { ms: 600 } } });
    client.stdin.end();
    const { code, ms } = await client.ended();
    expect(ms).toBeLessThan(2_000);
    expect(code).toBe(0);
    expect(client.messages.at(-1)).toMatchObject({ id: 'slow', result: { structuredContent: { value: 'slow done' } } });
    expect(client.stderr).toContain('shut down');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('cuts off a long call on %s with a protocol error', async (signal) => {
    const client = start();
    await client.initialize();
    client.send({ id: 'long', method: 'tools/call', params: { name: 'stubborn', arguments: { ms: 20_000 } } });
    await client.call('next', 'echo');
    client.kill(signal);
    const { code, ms } = await client.ended();
    expect(ms).toBeLessThan(2_000);
    expect(code).toBe(0);
    expect(client.messages.at(-1)).toMatchObject({ id: 'long', error: { code: -32603 } });
    expect(client.stderr).toContain('shut down');
  });

  it('ends quietly when nobody reads its answers', async () => {
    const client = start();
    await client.initialize();
    client.stdout.destroy();
    client.send({ id: 2, method: 'tools/call', params: { name: 'echo' } });
    const { code, ms } = await client.ended();
    expect(ms).toBeLessThan(2_000);
    expect(code).toBe(0);
    expect(client.stderr).not.toMatch(/EPIPE|ERROR/);
  });

  it('keeps stray output off stdout', async () => {
    const client = start();
    await client.initialize();
    await client.logged('a stray line');
    expect(client.lines.join()).not.toContain('stray');
  });
});

describe('the client of the 1.x SDK', { timeout: 30_000 }, () => {
  it('lists, calls, and validates every structured result', async () => {
    const client = new Client({ name: 'sdk-client', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [script], stderr: 'ignore' }));
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('echo');
    expect(tools[0]).toMatchObject({
      title: 'Title of echo',
      annotations: { title: 'Title of echo', openWorldHint: false },
    });
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
    expect(result).toMatchObject({ structuredContent: { value: { text: 'hi' } }, isError: false });
    await expect(client.callTool({ name: 'nowhere' })).rejects.toThrow(/-32602/);
    const cancelled = new AbortController();
    const pending = client.callTool({ name: 'slow', arguments: { ms: 20_000 } }, undefined, {
      signal: cancelled.signal,
    });
    setTimeout(() => cancelled.abort('enough'), 20);
    await expect(pending).rejects.toThrow();
    expect((await client.callTool({ name: 'stream' })).structuredContent).toEqual({ value: 3 });
    await client.close();
  });
});
