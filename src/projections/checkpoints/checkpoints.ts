/**
 * What a runner needs of the place that keeps positions. Nothing is remembered between calls: several processes share the
 * checkpoints, so a copy in memory would be stale.
 */
import { StoreError } from '../../errors.js';

export interface Checkpoint {
  readonly name: string;
  readonly version: number;
  /** The sequence number of the last event that is fully applied. */
  readonly position: number;
  /** Attempts that failed since the last one that succeeded. */
  readonly failures: number;
  readonly lastError: string | null;
  /** Unix milliseconds of the last move or failure. */
  readonly updatedAt: number;
}

export interface Checkpoints {
  read(name: string): Checkpoint | null;
  /** Creates the checkpoint at `start`; one of another version starts over there. The same version changes nothing. */
  register(name: string, version: number, start: number): Promise<void>;
  /** Takes the lease and answers the position, or null when another process holds it or runs another version. */
  acquire(name: string, version: number): Promise<number | null>;
  /** Makes the lease last longer. @throws LeaseLost */
  renew(name: string): Promise<void>;
  /** @throws LeaseLost unless this owner holds the lease and it has not run out. */
  assertLeased(name: string): void;
  /** Moves the position and forgets past failures. @throws LeaseLost when owner or position are not as expected. */
  advance(name: string, from: number, to: number): Promise<void>;
  /** Gives the lease back; nothing happens when it was lost. */
  release(name: string): Promise<void>;
  /** Counts a failure and keeps its message; answers the number of failures in a row. */
  recordFailure(name: string, message: string): Promise<number>;
}

/** Another process has taken the work over, or this one was stopped for longer than its lease. Not a failure. */
export class LeaseLost extends StoreError<'BUSY'> {
  constructor(readonly checkpoint: string) {
    super('BUSY', { retry_after_ms: 50 });
  }
}
