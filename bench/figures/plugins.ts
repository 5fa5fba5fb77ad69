/** What a worker adds to a call of a plugin's tool: the same module in a worker and in the server's own thread. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClient } from '../client/stdio-client.js';
import type { Contender, Figure } from '../figure.js';
import { latenciesOf } from '../latency.js';
import { environment } from '../product.js';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const warmUps = 1_500;
const calls = 1_500;

export const figures: Figure[] = [
  {
    name: 'worker-call',
    metrics: { 'call p50': { unit: 'ms', maxAbove: 0.5 }, 'call p95': { unit: 'ms' } },
    subject: caller('a tool in a worker', 'worker:./echo.mjs'),
    reference: caller('the same tool in process', './echo.mjs'),
    runs: 5,
    warmUp: false,
  },
];

const plugin = `import { Contract, Plugin, Projection, ServiceKey, z } from 'mini-app-mcp/plugin';
const key = new ServiceKey('bench/echo');
const echo = Contract.operation('bench/Echo', 1, { payload: z.object({ text: z.string() }), success: z.string() })
  .annotate(Projection.Annotation, { name: 'echo', title: 'Echo', description: 'Answers what it is told.', readOnlyHint: true,
    destructiveHint: false, idempotentHint: true, openWorldHint: false, output: 'json' });
export default Plugin.make({ name: 'echo', apply: async (scope) => {
  scope.provide(key, {});
  await Projection.offer('bench/echo', [Projection.operation(key, echo, (_service, { text }) => text)]);
} });
`;

function caller(name: string, module: string): Contender {
  return {
    name,
    async measure(directory) {
      writeFileSync(join(directory, 'echo.mjs'), plugin);
      const env = { ...environment(directory), MINI_APP_PLUGINS: module };
      const client = await StdioClient.connect({ args: [program, '--mcp'], cwd: directory, env });
      const call = (index: number) => client.call('echo', { text: `${index}` });
      const latencies = await latenciesOf(call, { warmUps, calls });
      await client.close();
      return { 'call p50': latencies.at(0.5), 'call p95': latencies.at(0.95) };
    },
  };
}
