/** What a figure is: something measured several times, beside a floor or a peer in the same run. */

export type Unit = 'us' | 'ms' | 's' | 'MiB' | 'bytes' | 'per s';

/** One number per metric of the figure. */
export type Sample = Readonly<Record<string, number>>;

export interface Contender {
  readonly name: string;
  /** Measures once in a fresh, empty directory that is removed afterwards. */
  measure(directory: string): Sample | Promise<Sample>;
}

export interface Metric {
  readonly unit: Unit;
  /** The most that subject divided by reference may be; the run fails beyond it. */
  readonly maxRatio?: number;
  /** The least that subject divided by reference may be, for metrics where more is better. */
  readonly minRatio?: number;
}

export interface Figure {
  /** The name to ask for on the command line. */
  readonly name: string;
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly subject: Contender;
  /** The floor or peer that the subject is held against. */
  readonly reference?: Contender;
  /** How often each contender is measured, after one measurement that does not count. */
  readonly runs: number;
}

/** One line of the result: the medians of one metric. */
export interface Row {
  readonly figure: string;
  readonly metric: string;
  readonly unit: Unit;
  readonly subject: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly reference: string | null;
  readonly referenceValue: number | null;
  /** Subject divided by reference. */
  readonly ratio: number | null;
  readonly withinLimit: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
