/** What `history.purged` events removed: a replay leaves it out from the start instead of making it first. */
import type { Connection } from '../../events/database.js';
import type { RecordedEvent } from '../../events/types.js';

export type PurgedRange = readonly [rowId: string, first: number, last: number];

export class PurgedRanges {
  readonly #byRow = new Map<string, (readonly [number, number])[]>();

  /** Reads the events of a log as far as they are there. */
  static of(connection: Connection): PurgedRanges {
    const sql = `SELECT body FROM _events WHERE row_id IS NULL AND type = 'history.purged' ORDER BY seq`;
    const ranges = new PurgedRanges();
    for (const body of connection.prepare<[], string>(sql).pluck().all()) ranges.#add(rangesIn(body));
    return ranges;
  }

  covers(rowId: string, version: number): boolean {
    return this.#byRow.get(rowId)?.some(([first, last]) => version >= first && version <= last) ?? false;
  }

  #add(ranges: readonly PurgedRange[]): void {
    for (const [rowId, first, last] of ranges) {
      const known = this.#byRow.get(rowId);
      if (known === undefined) this.#byRow.set(rowId, [[first, last]]);
      else known.push([first, last]);
    }
  }
}

/** The ranges of one event. */
export function purgedIn(event: RecordedEvent): readonly PurgedRange[] {
  return event.type === 'history.purged' ? rangesIn(event.body) : [];
}

function rangesIn(body: string): readonly PurgedRange[] {
  return (JSON.parse(body) as { removed: PurgedRange[] }).removed;
}
