/** How long one client's `get` takes while another client of the same server asks for something large. */
import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../client/http-client.js';
import { HttpServer } from '../client/http-server.js';
import { type ToolClient, textOf } from '../client/tool-client.js';
import { idOf } from '../data/ids.js';
import { manyRows } from '../data/many-rows.js';
import { TextSource } from '../data/text.js';
import type { Contender, Figure, Sample } from '../figure.js';
import { Latencies } from '../latency.js';

type Load = (client: ToolClient) => Promise<unknown>;

const million = 1_000_000;
const milliseconds = 2_000;

export const figures: Figure[] = [
  beside('respond-aggregate', 'get beside group_by on 1M rows', (client) =>
    client.call('query_aggregate', {
      sources: { kind: 'single', value: 'issues' },
      aggregator: { kind: 'group_by', by_field: 'state' },
    }),
  ),
  beside('respond-pages', 'get beside pages of 1,000 rows', (client) =>
    client.call('list', { table: 'issues', limit: 1_000 }),
  ),
  beside('respond-snapshot', 'get beside a snapshot of 1M rows', (client) =>
    client.call('data_snapshot', { table: 'issues' }),
  ),
  // In a table of its own: its rows would make the pages of the others large.
  beside('respond-archive', 'get beside changes of a 1 MiB row that archive it', updatesOfLargeRow(), 2_000),
];

function beside(name: string, what: string, load: Load, rows = million): Figure {
  return {
    name,
    metrics: { p50: { unit: 'ms' }, p99: { unit: 'ms', max: 50 } },
    subject: contender(what, rows, load),
    reference: contender('get alone', rows, null),
    runs: 2,
    warmUp: false,
  };
}

function contender(name: string, rows: number, load: Load | null): Contender {
  return {
    name,
    async measure() {
      const server = await HttpServer.start(await manyRows(rows));
      try {
        return await besideLoad(server.port, load);
      } finally {
        await server.stop();
      }
    },
  };
}

async function besideLoad(port: number, load: Load | null): Promise<Sample> {
  const [reader, other] = await Promise.all([HttpClient.connect(port), HttpClient.connect(port)]);
  const id = idOf(5);
  const get = () => reader.call('get', { table: 'issues', id });
  for (let index = 0; index < 100; index++) await get();
  let stopped = false;
  const loading = (async () => {
    while (!stopped && load !== null) await load(other);
  })();
  const latencies = new Latencies();
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await latencies.time(get);
    await delay(1);
  }
  stopped = true;
  await loading;
  await Promise.all([reader.close(), other.close()]);
  return { p50: latencies.at(0.5), p99: latencies.at(0.99) };
}

/** Past 64 versions each further one may roll old ones into the archive. */
function updatesOfLargeRow(): Load {
  const body = new TextSource(3).text(1_048_576);
  let id: string | null = null;
  let count = 0;
  return async (client) => {
    if (id === null) {
      const created = await client.call('create', { table: 'issues', data: { title: 'large', body } });
      ({ id } = JSON.parse(textOf(created)) as { id: string });
      return;
    }
    await client.call('content_insert', { table: 'issues', id, field: 'body', line: 1, content: `change ${count++}` });
  };
}
