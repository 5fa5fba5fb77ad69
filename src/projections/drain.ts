/**
 * Reading a log from a position to a fixed end, batch by batch: the one loop under followers, replay and notices.
 * It ends at the end named, never at an empty page: a compacted log has gaps, and a page may come late.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../errors.js';
import type { EventLog } from '../events/event-log.js';
import type { StoredEvent } from '../events/types.js';

export type ReadableLog = Pick<EventLog, 'readAfter' | 'head'>;

export interface Range {
  /** Exclusive. */
  readonly from: number;
  /** Inclusive; the sequence number of an event that is in the log. */
  readonly to: number;
}

export interface DrainOptions {
  readonly batchSize: number;
  readonly signal: AbortSignal;
}

/** Handles one batch; `from` and `to` are the positions before and after it. */
export type Step = (batch: readonly StoredEvent[], from: number, to: number) => Promise<void>;

/**
 * Runs `step` over the range in order and answers the position reached: `range.to`, or less when aborted. The event loop
 * gets a turn between two batches.
 * @throws StoreError CORRUPT_LOG when the log stops short of `range.to`; whatever `step` throws.
 */
export async function drain(log: ReadableLog, range: Range, options: DrainOptions, step: Step): Promise<number> {
  let position = range.from;
  while (position < range.to && !options.signal.aborted) {
    const page = await readPage(log, position, options);
    const batch = page.filter((event) => event.seq <= range.to);
    const next = page.length > batch.length ? range.to : (batch.at(-1)?.seq ?? position);
    if (batch.length > 0) await step(batch, position, next);
    position = next;
    await setImmediate();
  }
  return position;
}

/** A page that is not empty, unless aborted. An empty one before the end is read again, for about a second in all. */
async function readPage(log: ReadableLog, position: number, options: DrainOptions): Promise<readonly StoredEvent[]> {
  for (let wait = 5; wait < 1_000; wait *= 2) {
    const page = await log.readAfter(position, options.batchSize);
    if (page.length > 0 || options.signal.aborted) return page;
    await sleep(wait);
  }
  throw new StoreError('CORRUPT_LOG', { seq: position + 1, reason: 'the log ends before its own head' });
}
