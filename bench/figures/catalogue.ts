/** What the catalogue adds to a call: its no-op tool over stdio against the same tool on the bare SDK server. */
import { StdioClient } from '../client/stdio-client.js';
import type { Contender, Figure } from '../figure.js';
import { bundled } from '../floor/bundled.js';
import { latenciesOf } from '../latency.js';

/** Until the code of both is compiled: what is measured is a server that has run for a while. */
const warmUps = 4_000;
const calls = 2_500;

export const figures: Figure[] = [
  {
    name: 'catalogue-no-op',
    metrics: { 'call p50': { unit: 'ms', maxRatio: 1.05 }, 'call p95': { unit: 'ms' } },
    subject: caller('tool of a catalogue', 'catalogue-no-op-server.ts'),
    reference: caller('same tool, bare SDK server', 'same-tool-server.ts'),
    runs: 5,
    warmUp: false,
  },
];

function caller(name: string, file: string): Contender {
  return {
    name,
    async measure(directory) {
      const client = await StdioClient.connect({ args: [await bundled(file)], cwd: directory });
      const call = (index: number) => client.call('no_op', { text: `${index}` });
      const latencies = await latenciesOf(call, { warmUps, calls });
      await client.close();
      return { 'call p50': latencies.at(0.5), 'call p95': latencies.at(0.95) };
    },
  };
}
