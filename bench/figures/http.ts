/** Create and get over streamable HTTP by 1 and by 32 clients, each with a session and a connection of its own. */
import { HttpClient } from '../client/http-client.js';
import { HttpServer } from '../client/http-server.js';
import { StdioClient } from '../client/stdio-client.js';
import type { Contender, Figure, Sample } from '../figure.js';
import { layOut, stdioServer } from '../product.js';
import { type Call, createRows, creating, getting, rate } from '../work.js';

type Tool = 'create' | 'get';
const metrics = { rate: { unit: 'per s' }, p50: { unit: 'ms' } } as const;

export const figures: Figure[] = (['create', 'get'] as const).flatMap((tool) => [
  {
    name: `http-${tool}-1`,
    metrics,
    subject: overHttp(tool, 1, 400),
    reference: { name: `${tool} over stdio, 1 caller`, measure: (directory) => overStdio(directory, tool) },
    runs: 3,
    warmUp: false,
  },
  {
    name: `http-${tool}-32`,
    metrics,
    subject: overHttp(tool, 32, 1_000),
    reference: overHttp(tool, 1, 400),
    runs: 3,
    warmUp: false,
  },
]);

function overHttp(tool: Tool, count: number, times: number): Contender {
  return {
    name: `${tool} over HTTP, ${count} client${count === 1 ? '' : 's'}`,
    async measure(directory) {
      layOut(directory);
      const server = await HttpServer.start(directory);
      const clients = await Promise.all(Array.from({ length: count }, () => HttpClient.connect(server.port)));
      const sample = await inTurns(clients, tool, times);
      await Promise.all(clients.map((client) => client.close()));
      await server.stop();
      return sample;
    },
  };
}

/** Each caller has a client of its own. */
async function inTurns(clients: readonly HttpClient[], tool: Tool, times: number): Promise<Sample> {
  const [first] = clients;
  const ids = first === undefined ? [] : await createRows(first, 32);
  const calls = clients.map((client): Call => (tool === 'create' ? creating(client) : getting(client, ids)));
  const free = [...calls];
  return rate(clients.length, times, async (index) => {
    const call = free.pop();
    if (call === undefined) throw new Error('more callers than clients');
    await call(index);
    free.push(call);
  });
}

async function overStdio(directory: string, tool: Tool): Promise<Sample> {
  layOut(directory);
  const client = await StdioClient.connect(stdioServer(directory));
  const ids = await createRows(client, 32);
  const sample = await rate(1, 400, tool === 'create' ? creating(client) : getting(client, ids));
  await client.close();
  return sample;
}
