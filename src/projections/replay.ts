/** Applying a part of the log again: what rebuild and verify run on. Same loop as live, without checkpoint and lease. */
import type { StoredEvent } from '../events/types.js';
import { drain, type Range, type ReadableLog } from './drain.js';

export interface ReplayProgress {
  readonly position: number;
  readonly to: number;
  /** Events applied so far in this run. */
  readonly applied: number;
}

export interface ReplayOptions extends Range {
  readonly log: ReadableLog;
  /** Applies one batch; `position` is that of its last event. May be synchronous. */
  apply(batch: readonly StoredEvent[], position: number): void | Promise<void>;
  readonly onProgress?: (progress: ReplayProgress) => void;
  /** Default 1,000 events. */
  readonly batchSize?: number;
  readonly signal?: AbortSignal;
}

/**
 * Applies the events after `from` up to and with `to`, in order. A replay can be resumed: start again with `from` set to
 * the last position that was applied. An empty range is a success.
 * @throws the abort reason when aborted between two batches; StoreError CORRUPT_LOG; whatever `apply` throws.
 */
export async function replay(options: ReplayOptions): Promise<ReplayProgress> {
  const signal = options.signal ?? new AbortController().signal;
  const limits = { batchSize: options.batchSize ?? 1_000, signal };
  let applied = 0;
  const position = await drain(options.log, options, limits, async (batch, _from, to) => {
    await options.apply(batch, to);
    applied += batch.length;
    options.onProgress?.({ position: to, to: options.to, applied });
  });
  signal.throwIfAborted();
  return { position, to: options.to, applied };
}
