/** The log by itself: chain, sequence, commit numbers, bodies. Sees every event once, in order. */
import { createHash } from 'node:crypto';
import { eventCatalogue, isKnown, upcast } from '../../events/catalogue.js';
import type { Connection } from '../../events/database.js';
import { genesisHash, hashOf } from '../../events/hash-chain.js';
import type { StoredEvent } from '../../events/types.js';
import type { Checks } from './checks.js';

/** The latest cut of a compacted log: what it says of the events up to `upto` (rulings 3.8). */
interface Cut {
  readonly upto: number;
  readonly hash: string;
  readonly removed: number;
  readonly kept: string;
}

/** A position and hash that the auditor kept elsewhere. */
export interface Anchor {
  readonly seq: number;
  readonly hash: string;
}

export class LogAudit {
  readonly #cut: Cut | null;
  readonly #kept = createHash('sha256');
  #previous: Pick<StoredEvent, 'seq' | 'commit' | 'hash'> = { seq: 0, commit: 0, hash: genesisHash };
  #missing = 0;
  #unknown: StoredEvent | null = null;
  #anchored: boolean | null = null;
  #count = 0;

  constructor(
    private readonly connection: Connection,
    private readonly checks: Checks,
    private readonly anchor: Anchor | null,
  ) {
    this.#cut = latestCut(connection);
  }

  visit(event: StoredEvent): void {
    this.#count++;
    this.#chain(event);
    this.#sequence(event);
    this.#body(event);
    if (event.seq <= (this.#cut?.upto ?? 0)) this.#kept.update(event.hash);
    if (event.seq === this.anchor?.seq) this.#anchored = event.hash === this.anchor.hash;
    this.#previous = event;
  }

  /** The first event that this version cannot read; with it the projections cannot be proven. */
  get unknown(): StoredEvent | null {
    return this.#unknown;
  }

  get count(): number {
    return this.#count;
  }

  finish(): void {
    this.#sequenceEnd();
    this.#cutAddsUp();
    this.#rowVersions();
    this.#anchorHolds();
    this.#knownEvents();
  }

  #knownEvents(): void {
    if (this.#unknown === null) return;
    const { seq, type, version } = this.#unknown;
    const what = `type '${type}' version ${version}`;
    this.checks.fail('known events', `UNKNOWN_EVENT: event ${seq} has ${what}, which this version does not know`);
  }

  #chain(event: StoredEvent): void {
    const { seq, prevHash, hash } = event;
    if (hashOf(event) !== hash) this.checks.fail('chain', `event ${seq} is not what its hash was made of`);
    if (this.#isLinked(event)) {
      if (prevHash !== this.#previous.hash) {
        this.checks.fail('chain', `event ${seq} does not follow event ${this.#previous.seq}`);
      }
    } else if (seq === (this.#cut?.upto ?? 0) + 1 && prevHash !== this.#cut?.hash) {
      this.checks.fail('chain', `event ${seq} does not follow event ${this.#cut?.upto}, the last one compacted`);
    }
  }

  /** Across a gap that compaction left there is nothing to compare with. */
  #isLinked({ seq }: StoredEvent): boolean {
    return seq === this.#previous.seq + 1 || seq > (this.#cut?.upto ?? 0) + 1;
  }

  #sequence({ seq, commit, rowId, rowVersion }: StoredEvent): void {
    const gap = seq - this.#previous.seq - 1;
    const hidden = Math.min(gap, Math.max(0, (this.#cut?.upto ?? 0) - this.#previous.seq));
    this.#missing += hidden;
    if (gap > hidden) this.#fail(`event ${this.#previous.seq + hidden + 1} is missing`);
    if (commit < this.#previous.commit) this.#fail(`event ${seq} has commit ${commit} after ${this.#previous.commit}`);
    const isVersioned = rowVersion !== null && rowVersion >= 0;
    if ((rowId !== null) !== isVersioned) this.#fail(`event ${seq} has row version ${rowVersion}`);
  }

  #fail(difference: string): void {
    this.checks.fail('sequence', difference);
  }

  #body(event: StoredEvent): void {
    if (!isKnown(event)) {
      this.#unknown ??= event;
      return;
    }
    try {
      const { type, body } = upcast(event);
      const parsed = eventCatalogue[type]?.body.safeParse(JSON.parse(body));
      if (parsed?.success === true) return;
      const issue = parsed?.error.issues[0];
      const where = issue === undefined ? '' : `: ${['body', ...issue.path].join('.')} ${issue.message}`;
      this.checks.fail('bodies', `event ${event.seq} (${type}) has a body of another shape${where}`);
    } catch {
      this.checks.fail('bodies', `event ${event.seq} (${event.type}) has a body that is not JSON`);
    }
  }

  /** The counter that gave out the numbers shows a tail that was cut off. */
  #sequenceEnd(): void {
    const counter = "SELECT seq FROM sqlite_sequence WHERE name = '_events'";
    const given = this.connection.prepare<[], number>(counter).pluck().get() ?? 0;
    const { seq } = this.#previous;
    if (given > seq)
      this.#fail(`the newest event is ${seq}, but ${given} was given out: the end of the log is missing`);
    if (given < seq) this.#fail(`the newest event is ${seq}, but numbers were only given out up to ${given}`);
  }

  #cutAddsUp(): void {
    if (this.#cut === null) return;
    const { upto, removed, kept } = this.#cut;
    if (this.#missing !== removed) {
      this.#fail(`up to event ${upto}, ${this.#missing} events are missing, but ${removed} were compacted`);
    }
    if (this.#kept.digest('hex') !== kept) {
      this.checks.fail('chain', `the events that compaction kept up to ${upto} are not those that are there`);
    }
  }

  #rowVersions(): void {
    const sql = `SELECT seq, row_id, row_version FROM (SELECT seq, row_id, row_version,
        lag(seq) OVER (PARTITION BY row_id ORDER BY row_version) AS before FROM _events WHERE row_id IS NOT NULL)
      WHERE seq < before LIMIT 1`;
    type Row = { seq: number; row_id: string; row_version: number };
    const row = this.connection.prepare<[], Row>(sql).get();
    if (row === undefined) return;
    this.#fail(`event ${row.seq} brings row ${row.row_id} to version ${row.row_version} before an earlier version`);
  }

  #anchorHolds(): void {
    if (this.anchor === null || this.#anchored === true) return;
    const { seq, hash } = this.anchor;
    if (this.#anchored === false) this.checks.fail('anchor', `event ${seq} has another hash than ${hash}`);
    else if (seq === 0 && hash === genesisHash) return;
    else if (seq <= (this.#cut?.upto ?? 0)) this.checks.note('anchor', `event ${seq} was compacted away`);
    else this.checks.fail('anchor', `event ${seq} is not in the log`);
  }

  /** Whether the head kept elsewhere is in the chain; null when none was given or it was compacted away. */
  get anchored(): boolean | null {
    if (this.anchor?.seq === 0) return this.anchor.hash === genesisHash;
    return this.anchor !== null && this.#anchored === null && this.checks.isOk('anchor') ? null : this.#anchored;
  }
}

function latestCut(connection: Connection): Cut | null {
  const sql = `SELECT body FROM _events WHERE row_id IS NULL AND type = 'log.compacted' ORDER BY seq`;
  const bodies = connection.prepare<[], string>(sql).pluck().all();
  const cuts = bodies.map((body) => JSON.parse(body) as Cut);
  const last = cuts.at(-1);
  return last === undefined ? null : { ...last, removed: cuts.reduce((sum, cut) => sum + cut.removed, 0) };
}
