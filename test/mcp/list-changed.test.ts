/** Who is told of a changed list, how often, and where nobody can be (P-29, P-30). */
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { Catalogue } from '../../src/mcp/catalogue.js';
import { serveMcpOverStdio } from '../../src/mcp/serve-stdio.js';
import { createServer } from '../../src/mcp/server.js';
import { protocolOutput } from '../../src/mcp/stdout-guard.js';
import { connect, modern, startServer, writeIssues } from '../helpers/http-server.js';
import { connectClient, newStreams } from '../helpers/line-client.js';
import { gate, key, smallCatalogue, tool } from '../helpers/small-catalogue.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';

interface Listener {
  readonly catalogue: Catalogue;
  /** How often it was told. */
  count(): number;
  /** The names of the tools, asked over the same connection. */
  names?(): Promise<string[]>;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const changed = 'notifications/tools/list_changed';
const times = (text: string) => text.split(`"${changed}"`).length - 1;

function listenerOf(client: Client, catalogue: Catalogue): Listener {
  let count = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void count++);
  closing.push(() => client.close());
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { catalogue, count: () => count, names };
}

async function stdio2025(): Promise<Listener> {
  const { catalogue } = smallCatalogue();
  const streams = newStreams();
  serveMcpOverStdio({ ...streams, catalogue, instructions: 'x', output: protocolOutput(streams.output) });
  return listenerOf(await connectClient(streams), catalogue);
}

async function stdio2026(): Promise<Listener> {
  const { catalogue } = smallCatalogue();
  const [input, output] = [new PassThrough(), new PassThrough()];
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  serveMcpOverStdio({ catalogue, instructions: 'x', input, output: protocolOutput(output) });
  closing.push(() => input.end());
  const send = (method: string, params: Record<string, unknown> = {}) =>
    input.write(`${JSON.stringify(modern(method, method, params).body)}\n`);
  send('server/discover');
  send('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await expect.poll(() => text).toContain('acknowledged');
  return { catalogue, count: () => times(text) };
}

async function httpServer() {
  const directory = newDir();
  writeIssues(directory);
  const server = await startServer(directory);
  server.catalogue.services.provide(key, 'service');
  closing.push(
    () => removeDir(directory),
    () => server.close(),
  );
  return server;
}

async function http2025(): Promise<Listener> {
  const { url, catalogue } = await httpServer();
  const { client } = await connect(url, 'listener');
  const listener = listenerOf(client, catalogue);
  // The stream is opened after the greeting; what is said before it is open is not heard.
  await new Promise((resolve) => setTimeout(resolve, 150));
  return listener;
}

async function http2026(): Promise<Listener> {
  const { url, catalogue } = await httpServer();
  const { headers = {}, body } = modern('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
  const sent = { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const response = await fetch(url, {
    method: 'POST',
    headers: sent as Record<string, string>,
    body: JSON.stringify(body),
  });
  let text = '';
  const read = async () => {
    const decoder = new TextDecoder();
    if (response.body !== null) for await (const chunk of response.body) text += decoder.decode(chunk);
  };
  read().catch(() => undefined);
  await expect.poll(() => text).toContain('acknowledged');
  return { catalogue, count: () => times(text) };
}

describe.each([
  ['over stdio, 2025 era', stdio2025],
  ['over stdio, 2026 era', stdio2026],
  ['over an HTTP session with a stream', http2025],
  ['over an HTTP subscription, 2026 era', http2026],
])('a client %s', (_how, open) => {
  it('is told once of each publication that changes the list, and of no other (P-29)', async () => {
    const { catalogue, count, names } = await open();
    const described = (description: string, version = 1) =>
      tool('late', undefined, { version, annotation: { description } });
    const controller = await catalogue.offer('view', [described('first')]);
    await expect.poll(count).toBe(1);
    expect((await names?.()) ?? ['late']).toContain('late');
    await controller.update([described('first')]);
    await controller.update([described('first', 2)]);
    await expect(controller.update([tool('bad name')])).rejects.toThrow();
    await controller.updateAfter(
      () => 1,
      [described('never')],
      () => false,
    );
    await controller.update([described('second')]);
    await expect.poll(count).toBe(2);
    await controller.dispose();
    await expect.poll(count).toBe(3);
    expect((await names?.()) ?? []).not.toContain('late');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(count()).toBe(3);
  });
});

it('what is published before the first list can be asked for is no news', async () => {
  const { catalogue } = smallCatalogue();
  const streams = newStreams();
  const loading = gate();
  const ready = loading.opened;
  serveMcpOverStdio({ ...streams, catalogue, instructions: 'x', output: protocolOutput(streams.output), ready });
  const client = await connectClient(streams);
  const { count, names } = listenerOf(client, catalogue);
  await catalogue.offer('core', [tool('a')]);
  const listed = names?.();
  loading.open();
  expect(await listed).toEqual(['a']);
  expect(count()).toBe(0);
  await catalogue.offer('more', [tool('b')]);
  await expect.poll(count).toBe(1);
});

it.each([true, false])(
  'where the transport can push or not (%s), lists and calls are current, and only what is true is advertised (P-30)',
  async (canNotify) => {
    const { catalogue } = smallCatalogue();
    await catalogue.offer('view', [tool('a')]);
    const server = createServer({
      catalogue,
      instructions: 'x',
      serverInfo: { name: 's', version: '1' },
      session: 's',
      canNotify,
    });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    // The two packages name the same interface differently.
    await server.connect(theirs as unknown as Parameters<typeof server.connect>[0]);
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(ours);
    const { count, names } = listenerOf(client, catalogue);
    expect(client.getServerCapabilities()?.tools).toEqual(canNotify ? { listChanged: true } : {});
    await catalogue.offer('later', [tool('b')]);
    expect(await names?.()).toEqual(['a', 'b']);
    expect(await client.callTool({ name: 'b' })).toMatchObject({ structuredContent: { value: 'b' } });
    expect(count()).toBe(canNotify ? 1 : 0);
  },
);
