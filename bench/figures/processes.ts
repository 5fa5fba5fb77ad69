/** Several servers that write one table, as several agents do; the rate of all together against one server's. */
import { StdioClient } from '../client/stdio-client.js';
import type { Contender, Figure } from '../figure.js';
import { layOut, stdioServer } from '../product.js';
import { creating, rate } from '../work.js';

const creates = 500;
const callersEach = 4;

export const figures: Figure[] = [2, 4, 8].map((count) => ({
  name: `processes-${count}`,
  metrics: { rate: { unit: 'per s' }, p50: { unit: 'ms' }, p99: { unit: 'ms' } },
  subject: writing(count),
  reference: writing(1),
  runs: 2,
}));

function writing(count: number): Contender {
  return {
    name: `create, ${count} process${count === 1 ? '' : 'es'}, ${callersEach} callers each`,
    async measure(directory) {
      layOut(directory);
      const clients: StdioClient[] = [];
      for (let index = 0; index < count; index++) clients.push(await StdioClient.connect(stdioServer(directory)));
      const calls = clients.map(creating);
      let turn = 0;
      const free = Array.from({ length: count * callersEach }, () => calls[turn++ % count]);
      const sample = await rate(free.length, creates, async (index) => {
        const call = free.pop();
        await call?.(index);
        free.push(call);
      });
      await Promise.all(clients.map((client) => client.close()));
      return sample;
    },
  };
}
