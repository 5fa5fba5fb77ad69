/** What the product adds to the protocol: start, one read, memory; against a server that does nothing on the same SDK. */
import { type ServerCommand, StdioClient } from '../client/stdio-client.js';
import type { Contender, Figure, Sample } from '../figure.js';
import { bundled } from '../floor/bundled.js';
import { Latencies } from '../latency.js';
import { data, layOut, stdioServer } from '../product.js';

const calls = 500;

export const figures: Figure[] = [
  {
    name: 'stdio-get',
    metrics: { 'call p50': { unit: 'ms', maxRatio: 1.5 } },
    subject: { name: 'get', measure: get },
    reference: { name: 'a tool that does nothing', measure: noOpCall },
    runs: 5,
  },
  {
    name: 'stdio-start',
    metrics: { start: { unit: 'ms', maxRatio: 1.3 } },
    subject: { name: 'start to first answer', measure: (directory) => started(product(directory)) },
    reference: {
      name: 'a server that does nothing',
      measure: async (directory) => started(await noOp(directory)),
    },
    runs: 7,
  },
  {
    name: 'stdio-memory',
    metrics: { idle: { unit: 'MiB', maxAbove: 25 } },
    subject: idle('idle server, 1 table', product),
    reference: idle('a server that does nothing', noOp),
    runs: 3,
  },
];

function product(directory: string): ServerCommand {
  layOut(directory);
  return stdioServer(directory);
}

async function noOp(directory: string): Promise<ServerCommand> {
  return { args: [await bundled('no-op-server.ts')], cwd: directory };
}

async function get(directory: string): Promise<Sample> {
  const client = await StdioClient.connect(product(directory));
  const created = (await client.call('create', { table: 'issues', data })) as {
    structuredContent: { value: { id: string } };
  };
  const { id } = created.structuredContent.value;
  return latency(client, () => client.call('get', { table: 'issues', id }));
}

async function noOpCall(directory: string): Promise<Sample> {
  const client = await StdioClient.connect(await noOp(directory));
  return latency(client, () => client.call('no_op', { text: JSON.stringify(data) }));
}

async function latency(client: StdioClient, call: () => Promise<unknown>): Promise<Sample> {
  for (let index = 0; index < 100; index++) await call();
  const latencies = new Latencies();
  for (let index = 0; index < calls; index++) await latencies.time(call);
  await client.close();
  return { 'call p50': latencies.at(0.5) };
}

/** The first answer is the one to `initialize`: the client shows the server as connected. */
async function started(command: ServerCommand): Promise<Sample> {
  const before = performance.now();
  const client = await StdioClient.connect(command);
  const start = performance.now() - before;
  await client.close();
  return { start };
}

function idle(name: string, command: (directory: string) => ServerCommand | Promise<ServerCommand>): Contender {
  return {
    name,
    async measure(directory) {
      const client = await StdioClient.connect(await command(directory));
      await client.request('tools/list', {});
      await new Promise((wait) => setTimeout(wait, 1_000));
      const memory = client.memory().now;
      await client.close();
      return { idle: memory };
    },
  };
}
