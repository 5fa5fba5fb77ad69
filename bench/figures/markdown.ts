/** How far the Markdown copies are behind the log while 32 callers write, and what waiting for them costs a call. */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { StdioClient } from '../client/stdio-client.js';
import type { Figure, Sample } from '../figure.js';
import { databaseIn, layOut, stdioServer } from '../product.js';
import { creating, rate } from '../work.js';

const dump = 'dump: { dir: dumped, title_field: title, body_field: body }\n';

export const figures: Figure[] = [
  {
    name: 'markdown-lag',
    metrics: { 'lag p50': { unit: 'ms' }, 'lag p99': { unit: 'ms' }, rate: { unit: 'per s' }, p50: { unit: 'ms' } },
    subject: {
      name: 'create, 32 callers, with Markdown copies',
      measure: async (directory) => {
        const sample = await work(directory, dump);
        return { ...sample, ...lag(directory) };
      },
    },
    reference: { name: 'the same without copies', measure: (directory) => work(directory, '') },
    runs: 3,
  },
];

async function work(directory: string, more: string): Promise<Sample> {
  layOut(directory, 'issues', more);
  const client = await StdioClient.connect(stdioServer(directory));
  const sample = await rate(32, 1_000, creating(client));
  await client.close();
  return sample;
}

/** From the time of an event to that of its file, in milliseconds. */
function lag(directory: string): Sample {
  const written = new Map<string, number>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.md')) written.set(basename(name, '.md'), statSync(join(directory, name)).mtimeMs);
  }
  const database = new Database(databaseIn(directory), { readonly: true });
  const events = database
    .prepare<[], { id: string; at: number }>('SELECT row_id AS id, at_ms AS at FROM _events WHERE row_id IS NOT NULL')
    .all();
  database.close();
  const lags = events.map(({ id, at }) => (written.get(id) ?? Number.NaN) - at).sort((a, b) => a - b);
  const at = (share: number) => lags[Math.ceil(share * lags.length) - 1] ?? Number.NaN;
  return { 'lag p50': at(0.5), 'lag p99': at(0.99) };
}
