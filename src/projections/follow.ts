/**
 * The runner of every follower, for live, catch-up and starting over alike:
 *
 *   signal ─▶ position = head? ── yes ─▶ wait for the next signal (nothing is written)
 *                  │ no
 *             take the lease ─▶ read after the position ─▶ apply ─▶ move the position ─▶ … until head ─▶ give it back
 *
 * The lease is held only while there is something to do, so that the next process takes over at once. A failure keeps the
 * position and is tried again with back-off; it ends neither this stream nor any other.
 */
import { defer, type Observable } from 'rxjs';
import { type BackOff, defaultBackOff } from './back-off.js';
import type { Checkpoints } from './checkpoints/checkpoints.js';
import type { ReadableLog } from './drain.js';
import { FollowerRun } from './follower-run.js';
import type { Follower, Progress } from './projection.js';
import { runOnSignals } from './signal-loop.js';

export interface FollowOptions {
  readonly checkpoints: Checkpoints;
  /** Anything that says "look again": commits of this process, merged with the data version for those of others. */
  readonly signals$: Observable<unknown>;
  /** Ends the stream after the batch in progress; the lease is given back before it completes. */
  readonly stop?: AbortSignal;
  readonly backOff?: BackOff;
  /** Default 500 events. */
  readonly batchSize?: number;
  /** How often the lease is renewed during a long batch. Default 3 s; must be well below the lease. */
  readonly renewMs?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Told of every failure with its full cause, for the log; what `lastError` shows is sanitised. */
  readonly report?: (follower: string, error: unknown) => void;
}

/** Follows the log from the follower's checkpoint on. Emits after every move and at the end of every attempt. */
export function follow(log: ReadableLog, follower: Follower, options: FollowOptions): Observable<Progress> {
  return defer(() => {
    const run = new FollowerRun(log, follower, {
      checkpoints: options.checkpoints,
      backOff: options.backOff ?? defaultBackOff,
      batchSize: options.batchSize ?? 500,
      renewMs: options.renewMs ?? 3_000,
      now: options.now ?? Date.now,
      report: options.report ?? (() => undefined),
    });
    const stop = options.stop ?? new AbortController().signal;
    return runOnSignals<Progress>(options.signals$, (emit, signal) => run.attempt(emit, signal), stop);
  });
}
