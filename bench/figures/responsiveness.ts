/** How long one client's `get` takes while another client of the same server asks for something large. */
import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../client/http-client.js';
import { HttpServer } from '../client/http-server.js';
import { startLoad } from '../client/load.js';
import type { LoadName } from '../client/loads.js';
import { idOf } from '../data/ids.js';
import { manyRows } from '../data/many-rows.js';
import type { Contender, Figure, Sample } from '../figure.js';
import { Latencies } from '../latency.js';

const million = 1_000_000;
/** Long enough for a hundred calls or more, of which the slowest but one is the 99th percentile. */
const usualMs = 1_500;
/** Long enough for more than the 64 versions before which nothing is archived. */
const archiveMs = 6_000;

export const figures: Figure[] = [
  beside('aggregate', 'get beside group_by on 1M rows'),
  beside('pages', 'get beside pages of 1,000 rows'),
  beside('snapshot', 'get beside a snapshot of 1M rows'),
  // In a table of its own: its rows would make the pages of the others large.
  beside('archive', 'get beside changes of a 1 MiB row that archive it', { rows: 2_000, milliseconds: archiveMs }),
];

interface Scale {
  readonly rows: number;
  readonly milliseconds: number;
}

function beside(load: LoadName, what: string, scale: Scale = { rows: million, milliseconds: usualMs }): Figure {
  return {
    name: `respond-${load}`,
    metrics: { p50: { unit: 'ms' }, p99: { unit: 'ms', max: 50 } },
    subject: contender(what, scale, load),
    reference: contender('get alone', { ...scale, milliseconds: usualMs }, null),
    runs: 3,
    warmUp: false,
  };
}

function contender(name: string, { rows, milliseconds }: Scale, load: LoadName | null): Contender {
  return {
    name,
    async measure() {
      const server = await HttpServer.start(await manyRows(rows));
      try {
        const client = await HttpClient.connect(server.port);
        const get = () => client.call('get', { table: 'issues', id: idOf(5) });
        for (let index = 0; index < 100; index++) await get();
        const stop = load === null ? null : await startLoad(server.port, load);
        const sample = await latencyOf(get, milliseconds);
        await stop?.();
        await client.close();
        return sample;
      } finally {
        await server.stop();
      }
    },
  };
}

async function latencyOf(get: () => Promise<unknown>, milliseconds: number): Promise<Sample> {
  const latencies = new Latencies();
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await latencies.time(get);
    await delay(1);
  }
  return { p50: latencies.at(0.5), p99: latencies.at(0.99) };
}
