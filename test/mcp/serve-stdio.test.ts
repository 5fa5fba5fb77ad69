import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Contract, Services } from '../../src/mcp/contract.js';
import { createLogger } from '../../src/mcp/log.js';
import { Projection } from '../../src/mcp/projection.js';
import { serveMcpOverStdio } from '../../src/mcp/serve-stdio.js';
import { protocolOutput } from '../../src/mcp/stdout-guard.js';
import { version } from '../../src/version.js';
import { annotation, demoKey, demoTools } from '../helpers/demo-view.js';

type Message = Record<string, unknown> & { readonly id?: number };

function served() {
  const catalogue = new Catalogue(
    new Services().provide(demoKey, { events: [] }),
    createLogger({ write: () => undefined }),
  );
  catalogue.offer('test/demo', demoTools);
  const input = new PassThrough();
  const output = new PassThrough();
  const messages: Message[] = [];
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.push(JSON.parse(line));
  });
  const session = serveMcpOverStdio({ catalogue, instructions: 'x', input, output: protocolOutput(output) });
  const send = (message: Record<string, unknown>) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = async (id: number, method: string, params: Record<string, unknown> = {}) => {
    send({ id, method, params });
    return expect.poll(() => messages.find((message) => message.id === id)).toBeDefined();
  };
  return { catalogue, input, messages, session, send, request };
}

it('tells a connected client once when a publication changes the list, and serves the new one', async () => {
  const { catalogue, input, messages, session, send, request } = served();
  await request(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  });
  expect(messages[0]).toMatchObject({ result: { serverInfo: { version }, instructions: 'x' } });
  send({ method: 'notifications/initialized' });
  const late = Contract.operation('test/Late', 1, { payload: z.object({}), success: z.string() });
  const binding = Projection.operation(demoKey, late.annotate(Projection.Annotation, annotation('late')), () => 'here');
  const controller = await catalogue.offer('test/late', [binding]);
  const changes = () => messages.filter((message) => message.method === 'notifications/tools/list_changed').length;
  await expect.poll(changes).toBe(1);
  await request(2, 'tools/call', { name: 'late' });
  expect(messages.at(-1)).toMatchObject({ result: { structuredContent: { value: 'here' } } });
  await controller.dispose();
  await expect.poll(changes).toBe(2);
  await request(3, 'tools/call', { name: 'late' });
  expect(messages.at(-1)).toMatchObject({ error: { code: -32602 } });
  input.end();
  await session.closed;
});
