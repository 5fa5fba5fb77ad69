/** Takes a snapshot every so many events, as a follower. */
import type { Follower } from '../projection.js';

export interface SnapshotTriggerOptions {
  /** A snapshot each time the log passes a multiple of this sequence number. */
  readonly every: number;
  /** Takes the snapshot; `seq` is the newest event that is certainly in it. */
  readonly take: (seq: number) => Promise<void>;
}

/**
 * Where it fires follows from the sequence numbers alone, so nothing but the checkpoint is stored, and a restart neither
 * forgets nor repeats a snapshot that was reported done. Several marks passed in one batch make one snapshot: they would
 * be of the same state. It begins at the head: the past needs none, and a rebuild fires none.
 */
export function snapshotTrigger(options: SnapshotTriggerOptions): Follower {
  const marks = (position: number) => Math.floor(position / options.every);
  return {
    name: 'snapshot-trigger',
    version: 1,
    startsAt: 'head',
    async apply(batch, context) {
      const last = batch.at(-1);
      if (last === undefined || marks(last.seq) === marks(context.position)) return;
      context.assertLeased();
      await options.take(last.seq);
    },
  };
}
