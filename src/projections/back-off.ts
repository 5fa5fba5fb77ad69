/** How long a failing follower waits before it is tried again. */

export interface BackOff {
  /** The wait after the first failure; every further one doubles it. */
  readonly firstMs: number;
  /** The longest wait before it is parked. */
  readonly maxMs: number;
  /** This many failures in a row park it. */
  readonly parkAfter: number;
  /** The wait of a parked one. */
  readonly parkedMs: number;
}

/** 100 ms doubling to 5 s; parked after 8 failures (about 11 s), from then on tried once a minute. */
export const defaultBackOff: BackOff = { firstMs: 100, maxMs: 5_000, parkAfter: 8, parkedMs: 60_000 };

/** The wait in milliseconds after so many failures in a row. */
export function waitAfter(failures: number, backOff: BackOff): number {
  if (failures === 0) return 0;
  if (failures >= backOff.parkAfter) return backOff.parkedMs;
  return Math.min(backOff.maxMs, backOff.firstMs * 2 ** (failures - 1));
}
