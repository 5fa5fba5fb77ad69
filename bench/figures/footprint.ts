/** Memory after work, and the start with many tables. */
import { StdioClient } from '../client/stdio-client.js';
import type { Contender, Figure } from '../figure.js';
import { bundled } from '../floor/bundled.js';
import { byCallers, data, layOut, stdioServer } from '../product.js';
import { creating } from '../work.js';

const calls = 4_000;

export const figures: Figure[] = [
  {
    name: 'memory-loaded',
    metrics: { now: { unit: 'MiB' }, peak: { unit: 'MiB' } },
    subject: { name: `${calls} creates by 32 callers, 100 lists`, measure: loaded },
    reference: { name: 'as many calls of a tool that does nothing', measure: loadedNoOp },
    runs: 3,
    warmUp: false,
  },
  {
    name: 'start-100-tables',
    metrics: { 'first answer': { unit: 'ms' }, 'first list': { unit: 'ms' } },
    subject: starting(100),
    reference: starting(1),
    runs: 5,
  },
];

async function loaded(directory: string) {
  layOut(directory);
  const client = await StdioClient.connect(stdioServer(directory));
  await byCallers(32, calls, creating(client));
  await byCallers(1, 100, () => client.call('list', { table: 'issues' }));
  return memoryAndClose(client);
}

async function loadedNoOp(directory: string) {
  const client = await StdioClient.connect({ args: [await bundled('no-op-server.ts')], cwd: directory });
  await byCallers(32, calls, () => client.call('no_op', { text: JSON.stringify(data) }));
  return memoryAndClose(client);
}

async function memoryAndClose(client: StdioClient) {
  const memory = client.memory();
  await client.close();
  return memory;
}

function starting(tables: number): Contender {
  return {
    name: `start with ${tables} table${tables === 1 ? '' : 's'}`,
    async measure(directory) {
      layOut(directory);
      for (let index = 2; index <= tables; index++) layOut(directory, `issues_${index}`);
      const before = performance.now();
      const client = await StdioClient.connect(stdioServer(directory));
      const answered = performance.now() - before;
      await client.call('list', { table: 'issues' });
      const listed = performance.now() - before;
      await client.close();
      return { 'first answer': answered, 'first list': listed };
    },
  };
}
