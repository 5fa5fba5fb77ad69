/** Times of many equal calls, in milliseconds. */
export class Latencies {
  readonly #times: number[] = [];

  async time<T>(call: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await call();
    this.#times.push(performance.now() - start);
    return result;
  }

  /** The time that a share of the calls stayed within: `at(0.5)` is the median, `at(1)` the slowest. */
  at(share: number): number {
    const sorted = [...this.#times].sort((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  }

  /** How many calls fell between powers of two of a millisecond: upper bound to count, ascending. */
  histogram(): Map<number, number> {
    const bounds = this.#times.map((time) => 2 ** Math.ceil(Math.log2(time))).sort((a, b) => a - b);
    const counts = new Map<number, number>();
    for (const bound of bounds) counts.set(bound, (counts.get(bound) ?? 0) + 1);
    return counts;
  }
}

/** The times of calls that follow each other, after as many that do not count. */
export async function latenciesOf(
  call: (index: number) => Promise<unknown>,
  { warmUps, calls }: { readonly warmUps: number; readonly calls: number },
): Promise<Latencies> {
  for (let index = 0; index < warmUps; index++) await call(index);
  const latencies = new Latencies();
  for (let index = 0; index < calls; index++) await latencies.time(() => call(index));
  return latencies;
}
