/** What moves in the same transaction as the append. Plain calls: an exception here fails the write (architecture, trap 1). */
import type { RowChange } from './evolve.js';
import type { RecordedEvent, RowState } from './types.js';

export interface InlineProjection {
  /**
   * Applies one change of a row, inside the open transaction.
   * @param urgent the command was run again so often that it has to do without more preparation.
   * @throws PrepareFirst to be run again after a preparation.
   */
  apply(change: RowChange, urgent?: boolean): void;
  /** Applies an event of the whole table. */
  applyTableEvent?(event: RecordedEvent): void;
}

/** Where the writer reads the present state of a row: what the inline projections wrote. */
export interface RowStates {
  get(id: string): RowState | null;
  /** The highest version that a row has in any projection, also one of a row that is gone; 0 for an unknown row. */
  lastVersion(id: string): number;
}

/**
 * Thrown by a projection that needs asynchronous work (compression) before it can go on. The writer rolls the command
 * back, commits what came before it, waits for the work, and runs the command again, with its place in the queue kept.
 */
export class PrepareFirst extends Error {
  constructor(readonly prepare: () => Promise<void>) {
    super('preparation needed');
  }
}
