/**
 * Two kinds of projections. Inline ones (rows, row history, aliases) are plain calls that the commit makes inside its own
 * transaction: their failure fails the write, and they know nothing of streams. Followers run after the commit, each from
 * a checkpoint of its own, and never hold a write up (rulings 3.3).
 */
import type { StoredEvent } from '../events/types.js';

/** What reads the log after the commit and brings something outside of it up to date. */
export interface Follower {
  /** Unique in the table's database; the checkpoint's key. */
  readonly name: string;
  /** Raised whenever the same events would give another result; another version starts over. */
  readonly version: number;
  /** Where a follower without a checkpoint, or with one of another version, begins. */
  readonly startsAt: 'origin' | 'head';
  /**
   * Applies events that follow each other in the log. It may be called again with events it has applied before (after a
   * crash or a failure), so applying twice must give the same as applying once. A rejection keeps the position.
   */
  apply(batch: readonly StoredEvent[], context: ApplyContext): Promise<void>;
}

/** What a follower may ask of its runner while it applies a batch. */
export interface ApplyContext {
  /** The position before the batch: everything up to it is applied. */
  readonly position: number;
  /** Aborted when the runner is to stop. */
  readonly signal: AbortSignal;
  /**
   * Asked right before an effect that cannot be taken back; throws when another process has taken this work over.
   * Synchronous, so that nothing of this process comes between the answer and the effect.
   */
  assertLeased(): void;
}

/** How far a follower is, and how it fares. */
export interface Progress {
  readonly position: number;
  readonly state: FollowerState;
  readonly lastError: string | null;
}

/** What `info` and `doctor` say of a follower. */
export interface FollowerStatus extends Progress {
  readonly name: string;
  /** Events after the position. */
  readonly lag: number;
}

/** `retrying`: the last attempt failed. `parked`: many did, and it is tried on a slow timer only. */
export type FollowerState = 'live' | 'retrying' | 'parked';
