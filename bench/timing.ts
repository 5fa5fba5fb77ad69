import { Latencies } from './latency.js';

/** How long one call takes: the median of so many in a row, in milliseconds, after a tenth of them as warm-up. */
export async function medianTime(calls: number, call: () => unknown): Promise<number> {
  for (let index = 0; index < Math.ceil(calls / 10); index++) await call();
  const latencies = new Latencies();
  for (let index = 0; index < calls; index++) await latencies.time(async () => call());
  return latencies.at(0.5);
}
