/** The floors of the protocol alone: start, call and memory of a server that does nothing, and of Node itself. */
import { spawnSync } from 'node:child_process';
import { StdioClient } from '../client/stdio-client.js';
import type { Figure, Sample } from '../figure.js';
import { bundled } from '../floor/bundled.js';
import { Latencies } from '../latency.js';

const calls = 500;

export const figures: Figure[] = [
  {
    name: 'floor-no-op-call',
    metrics: { 'call p50': { unit: 'ms' }, 'call p95': { unit: 'ms' }, memory: { unit: 'MiB' } },
    subject: { name: 'no-op server', measure: call },
    runs: 3,
  },
  {
    name: 'floor-no-op-start',
    metrics: { start: { unit: 'ms' } },
    subject: { name: 'no-op server', measure: start },
    reference: { name: 'node -e 0', measure: () => ({ start: nodeStart() }) },
    runs: 7,
  },
];

async function start(directory: string): Promise<Sample> {
  const file = await bundled('no-op-server.ts');
  const before = performance.now();
  const client = await StdioClient.connect({ args: [file], cwd: directory });
  const elapsed = performance.now() - before;
  await client.close();
  return { start: elapsed };
}

async function call(directory: string): Promise<Sample> {
  const client = await StdioClient.connect({ args: [await bundled('no-op-server.ts')], cwd: directory });
  const latencies = new Latencies();
  for (let index = 0; index < calls; index++) await latencies.time(() => client.call('no_op', { text: `${index}` }));
  const memory = client.memory().now;
  await client.close();
  return { 'call p50': latencies.at(0.5), 'call p95': latencies.at(0.95), memory };
}

function nodeStart(): number {
  const before = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - before;
}
