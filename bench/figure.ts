/** What a figure is: something measured several times, beside a floor or a peer in the same run. */

export type Unit = 'us' | 'ms' | 's' | 'MiB' | 'bytes' | 'per s';

/** One number per metric of the figure. */
export type Sample = Readonly<Record<string, number>>;

export interface Contender {
  readonly name: string;
  /** Measures once in a fresh, empty directory that is removed afterwards. @throws Unavailable when it cannot be had here. */
  measure(directory: string): Sample | Promise<Sample>;
}

/** A contender cannot be measured on this machine; the figure is reported as skipped, with the reason. */
export class Unavailable extends Error {}

/** The run fails beyond a limit. Ratios are subject divided by reference. */
export interface Metric {
  readonly unit: Unit;
  readonly maxRatio?: number;
  /** For metrics where more is better. */
  readonly minRatio?: number;
  /** The most that the subject may have, in the unit. */
  readonly max?: number;
  /** The most that the subject may have above the reference, in the unit. */
  readonly maxAbove?: number;
}

export interface Figure {
  /** The name to ask for on the command line. */
  readonly name: string;
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly subject: Contender;
  /** The floor or peer that the subject is held against; it may lack a metric that only the subject has. */
  readonly reference?: Contender;
  /** How often each contender is measured, after one measurement that does not count. */
  readonly runs: number;
  /** False where a measurement is its own warm-up, or where what is counted does not vary. */
  readonly warmUp?: boolean;
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
  /** The limit in words; null without one. */
  readonly goal: string | null;
  readonly withinLimit: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
