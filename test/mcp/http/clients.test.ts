/** The server under independent clients: several at once, over a restart, with streams, slow, and while it stops. */
import { rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Contract } from '../../../src/mcp/contract.js';
import { Projection } from '../../../src/mcp/projection.js';
import { annotation, demoKey } from '../../helpers/demo-view.js';
import {
  ask,
  callOf,
  connect,
  initialize,
  issuesSchema,
  modern,
  rpc,
  startServer,
  type TestServer,
  writeIssues,
} from '../../helpers/http-server.js';
import { newDir, removeDir } from '../../helpers/temp-dir.js';

let directory: string;
let server: TestServer;
const clients: Client[] = [];

beforeEach(async () => {
  directory = newDir();
  writeIssues(directory);
  server = await startServer(directory);
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await server.close();
  removeDir(directory);
});

async function open(name: string): Promise<Client> {
  const { client } = await connect(server.url, name);
  clients.push(client);
  return client;
}

async function resultOf(client: Client, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const result = await client.callTool({ name, arguments: args });
  return (result.structuredContent as { value?: unknown } | undefined)?.value;
}

const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('data: '));

describe('clients', () => {
  it('work in parallel and never see an answer of another', async () => {
    const names = ['ann', 'bob', 'cid'];
    const all = await Promise.all(names.map(open));
    const calls = all.flatMap((client, who) =>
      Array.from({ length: 20 }, async (_, index) => {
        const text = `${names[who]} ${index}`;
        expect(await resultOf(client, 'echo', { text })).toEqual({ text });
        expect(await resultOf(client, 'whoami')).toMatchObject({ actor: names[who] });
      }),
    );
    await Promise.all(calls);
    expect(server.sessions.size).toBe(3);
  });

  it('are answered, a hundred calls at once', async () => {
    const client = await open('eager');
    const titles = Array.from({ length: 100 }, (_, index) => `row ${index}`);
    const rows = await Promise.all(
      titles.map((title) => resultOf(client, 'create', { table: 'issues', data: { title } })),
    );
    expect(rows.map((row) => (row as { data: { title: string } }).data.title)).toEqual(titles);
    expect(await resultOf(client, 'info', { table: 'issues' })).toMatchObject({ rows: 100 });
  });

  it('do not notice a restart, and events still say who they are', async () => {
    const client = await open('steady');
    const first = await resultOf(client, 'create', { table: 'issues', data: { title: 'before' } });
    const { port } = server.address;
    await server.close();
    server = await startServer(directory, { bind: { host: '127.0.0.1', port } });
    // A restart takes longer than a client in this process needs to hear that its connections are closed.
    await pause();
    const second = await resultOf(client, 'create', { table: 'issues', data: { title: 'after' } });
    expect([first, second]).toMatchObject([{ version: 1 }, { version: 1 }]);
    const events = await server.registry.resolve('issues').open().log.readAfter(0, 10);
    expect(events.map((event) => event.actor)).toEqual(['steady', 'steady']);
  });

  it('end their session when they close', async () => {
    const { client, transport } = await connect(server.url, 'polite');
    expect(server.sessions.size).toBe(1);
    await transport.terminateSession();
    await client.close();
    expect(server.sessions.size).toBe(0);
  });
});

describe('what the server says unasked', () => {
  it('reaches a session: tables, their schemas and tools that change', async () => {
    const client = await open('listener');
    const told: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.push('resources'));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push('tools'));
    await client.subscribeResource({ uri: 'schema://yaml?table=issues' });
    await client.subscribeResource({ uri: 'schema://json?table=issues' });
    await client.unsubscribeResource({ uri: 'schema://json?table=issues' });
    await expect(client.subscribeResource({ uri: 'schema://yaml?table=nothing' })).rejects.toThrow('not found');
    await pause();
    writeFileSync(join(directory, 'user', 'issues', 'schema.yaml'), `${issuesSchema}# changed\n`);
    await expect.poll(() => told, { timeout: 3_000 }).toContain('schema://yaml?table=issues');
    rmSync(join(directory, 'user', 'issues', 'schema.yaml'));
    await resultOf(client, 'reload');
    await expect.poll(() => told, { timeout: 3_000 }).toContain('resources');
    const more = Contract.operation('demo/More', 1, { payload: z.object({}), success: z.string() });
    const binding = Projection.operation(demoKey, more.annotate(Projection.Annotation, annotation('more')), () => 'x');
    await server.catalogue.offer('test/more', [binding]);
    await expect.poll(() => told).toContain('tools');
    expect(told).not.toContain('schema://json?table=issues');
  });

  it('reaches a subscription of the 2026 era', async () => {
    const notifications = { resourceSubscriptions: ['schema://json-schema?table=issues'], toolsListChanged: true };
    const { headers = {}, body } = modern('sub', 'subscriptions/listen', { notifications });
    const response = await fetch(server.url, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      } as Record<string, string>,
      body: JSON.stringify(body),
    });
    const told = collect(response);
    await expect.poll(() => told.text).toContain('acknowledged');
    writeFileSync(join(directory, 'user', 'issues', 'schema.yaml'), `${issuesSchema}# changed\n`);
    await expect.poll(() => told.text, { timeout: 3_000 }).toContain('notifications/resources/updated');
    expect(told.text).not.toContain('schema://yaml');
    await server.close();
    await told.ended;
    expect(lines(told.text).at(-1)).toContain('"resultType":"complete"');
  });
});

describe('a slow client', () => {
  it('holds up nobody, and its stream ends when it does not read', async () => {
    const session = String((await ask(server.address.port, { body: initialize })).headers['mcp-session-id']);
    const socket = connectSocket(server.address.port, '127.0.0.1');
    socket.write(
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${session}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    let ended = false;
    socket.on('close', () => {
      ended = true;
    });
    socket.on('error', () => undefined);
    const live = server.sessions.resolve(session);
    const padding = 'x'.repeat(100_000);
    for (let index = 0; index < 100 && live?.transport.isBusy; index++) {
      await live.transport.send({ jsonrpc: '2.0', method: 'notifications/message', params: { padding } });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(live?.transport.isBusy).toBe(false);
    expect((await ask(server.address.port, { body: callOf(1, 'echo', { text: 'quick' }) })).text).toContain('quick');
    socket.resume();
    await expect.poll(() => ended).toBe(true);
  });
});

describe('stopping', () => {
  it('answers what is in flight, ends streams and refuses the rest, within two seconds', async () => {
    const { port } = server.address;
    const session = String((await ask(port, { body: initialize })).headers['mcp-session-id']);
    const streamed = new Promise<void>((resolve) => {
      const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': session };
      get({ port, path: '/mcp', headers }, (response) => response.resume().on('end', () => resolve()));
    });
    const call = ask(port, { body: callOf(1, 'slow', { ms: 300 }) });
    await expect.poll(() => server.demo.events).toContain('slow began');
    const started = performance.now();
    const stopped = server.stop('test');
    await expect(ask(port, { body: rpc(2, 'ping') })).rejects.toThrow();
    expect((await call).json.result.content[0].text).toBe('"slow done"');
    await Promise.all([streamed, stopped]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('cuts off what does not end', async () => {
    const call = ask(server.address.port, { body: callOf(1, 'slow', { ms: 60_000 }) });
    await expect.poll(() => server.demo.events).toContain('slow began');
    const started = performance.now();
    await server.stop('test');
    expect(performance.now() - started).toBeLessThan(2_000);
    expect((await call).json.error.message).toContain('cut off');
  });
});

/** Long enough for a client's stream to be open, and for it to hear that a connection is closed. */
async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
}

function collect(response: Response): { text: string; ended: Promise<void> } {
  const told = { text: '', ended: Promise.resolve() };
  const read = async () => {
    const decoder = new TextDecoder();
    if (response.body !== null) for await (const chunk of response.body) told.text += decoder.decode(chunk);
  };
  told.ended = read();
  return told;
}
