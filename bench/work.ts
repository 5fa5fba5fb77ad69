/** The three calls that agents make most, over any transport, by any number of callers. */
import { type ToolClient, textOf } from './client/tool-client.js';
import type { Sample } from './figure.js';
import { Latencies } from './latency.js';
import { byCallers, data } from './product.js';

/** One call, told its number. */
export type Call = (index: number) => Promise<unknown>;

/** Ids of new rows. */
export function createRows(client: ToolClient, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => idOf(await client.call('create', { table: 'issues', data }))),
  );
}

export function creating(client: ToolClient): Call {
  return () => client.call('create', { table: 'issues', data });
}

/** Merges one field, each time another value, into one row after the other. */
export function updating(client: ToolClient, ids: readonly string[]): Call {
  return (index) =>
    client.call('update', { table: 'issues', id: ids[index % ids.length], data: { state: `state ${index}` } });
}

export function getting(client: ToolClient, ids: readonly string[]): Call {
  return (index) => client.call('get', { table: 'issues', id: ids[index % ids.length] });
}

/** Calls per second by so many callers at once, and the time of a call, after a tenth of the calls as warm-up. */
export async function rate(callers: number, times: number, call: Call): Promise<Sample> {
  await byCallers(callers, Math.ceil(times / 10), call);
  const latencies = new Latencies();
  const start = performance.now();
  await byCallers(callers, times, (index) => latencies.time(() => call(index)));
  const seconds = (performance.now() - start) / 1_000;
  return { rate: times / seconds, p50: latencies.at(0.5), p99: latencies.at(0.99) };
}

function idOf(result: unknown): string {
  return (JSON.parse(textOf(result)) as { id: string }).id;
}
