/** The same small piece of work by other servers that keep records, and by any program with the same tools. */
import { StdioClient } from '../client/stdio-client.js';
import type { Contender, Figure, Metric, Sample } from '../figure.js';
import { Latencies } from '../latency.js';
import { backlog } from '../peers/backlog.js';
import { mcpSqlite } from '../peers/mcp-sqlite.js';
import type { Peer, PeerCall } from '../peers/peer.js';
import { ourselves, sameTools } from '../peers/same-tools.js';
import { serverMemory } from '../peers/server-memory.js';

const records = 30;
const metrics: Readonly<Record<string, Metric>> = {
  start: { unit: 'ms' },
  idle: { unit: 'MiB' },
  'tools/list': { unit: 'bytes' },
  create: { unit: 'ms' },
  update: { unit: 'ms' },
  get: { unit: 'ms' },
};
const command = process.env.PEER_CMD;

export const figures: Figure[] = [
  // Start no slower, idle memory within a tenth.
  beside(serverMemory, { ...metrics, start: { unit: 'ms', maxRatio: 1 }, idle: { unit: 'MiB', maxRatio: 1.1 } }),
  beside(backlog, metrics),
  beside(mcpSqlite, metrics),
  ...(command === undefined ? [] : [beside(sameTools('PEER_CMD', command), metrics)]),
];

function beside(peer: Peer, limits: Figure['metrics']): Figure {
  const name = `peer-${peer.name.toLowerCase().replaceAll('_', '-')}`;
  return { name, metrics: limits, subject: contender(ourselves), reference: contender(peer), runs: 3, warmUp: false };
}

function contender(peer: Peer): Contender {
  return {
    name: peer.name,
    async measure(directory) {
      const server = await peer.prepare(directory);
      const before = performance.now();
      const client = await StdioClient.connect(server);
      const start = performance.now() - before;
      try {
        return { start, ...(await idle(client)), ...(await work(client, peer)) };
      } finally {
        await client.close();
      }
    },
  };
}

/** After the list of tools, which every client asks for, and a second of rest. */
async function idle(client: StdioClient): Promise<Sample> {
  const tools = await client.request('tools/list', {});
  await new Promise((wait) => setTimeout(wait, 1_000));
  return { 'tools/list': Buffer.byteLength(JSON.stringify(tools)), idle: client.memory().now };
}

/** Medians of one call after the other. */
async function work(client: StdioClient, peer: Peer): Promise<Sample> {
  const created: unknown[] = [];
  const times = { create: new Latencies(), update: new Latencies(), get: new Latencies() };
  const make = ({ tool, args }: PeerCall) => client.call(tool, args);
  for (let index = 0; index < records; index++) {
    created.push(await times.create.time(() => make(peer.create(index))));
  }
  for (const [index, record] of created.entries()) await times.update.time(() => make(peer.update(index, record)));
  for (const [index, record] of created.entries()) await times.get.time(() => make(peer.get(index, record)));
  return { create: times.create.at(0.5), update: times.update.at(0.5), get: times.get.at(0.5) };
}
