/**
 * `verify`: proves in one consistent snapshot that the log is whole and that every projection equals its replay, and names
 * the first difference of each kind (rulings 3.11). What the chain alone cannot prove: that its newest events are still
 * there, unless a head kept elsewhere is given; nor that somebody with write access did not make a whole new chain.
 */
import { setImmediate } from 'node:timers/promises';
import { isStoreError } from '../errors.js';
import { replay } from '../projections/replay.js';
import type { OperatedTable, WorkOptions } from './operated-table.js';
import { areIdenticalRows, firstMisplaced, rowDifferences } from './replay/compare-rows.js';
import { replayedTable } from './replay/replay-rows.js';
import { createRowsTable, ReplayedRows } from './replay/replayed-rows.js';
import { type Snapshot, withSnapshot } from './replay/snapshot.js';
import { type Check, Checks } from './verify/checks.js';
import { HistoryAudit } from './verify/history-audit.js';
import { type Anchor, LogAudit } from './verify/log-audit.js';
import { ReplayedAliases } from './verify/replayed-aliases.js';

export type { Anchor } from './verify/log-audit.js';

export interface VerifyOptions extends WorkOptions {
  /** A head that was kept elsewhere; it must be in the chain. */
  readonly head?: Anchor | undefined;
}

export interface Verification {
  readonly table: string;
  readonly ok: boolean;
  readonly events: number;
  /** Keep it elsewhere: given to the next verification, it proves that nothing up to it was cut off or replaced. */
  readonly head: { readonly seq: number; readonly hash: string };
  /** Whether the head given is in the chain; null when none was given or its event was compacted away. */
  readonly anchored: boolean | null;
  readonly checks: readonly Check[];
}

const names = ['chain', 'sequence', 'bodies', 'known events', 'anchor', 'rows', 'row order'] as const;
const otherNames = ['row history', 'archive', 'aliases', 'foreign writes'] as const;
const proven = ['rows', 'row order', 'row history', 'archive', 'aliases'] as const;

/** Differences are in the result, not thrown. @throws StoreError STORAGE_ERROR; the signal's reason. */
export async function verifyTable(table: OperatedTable, options: VerifyOptions = {}): Promise<Verification> {
  return withSnapshot(table.database.path, async (snapshot) => {
    const checks = new Checks([...names, ...otherNames]);
    const audit = new LogAudit(snapshot.connection, checks, options.head ?? null);
    await new Verifier(snapshot, checks, audit, options).run();
    const { seq, hash } = snapshot.head;
    return {
      table: table.name,
      ok: checks.ok,
      events: audit.count,
      head: { seq, hash },
      anchored: audit.anchored,
      checks: checks.list(),
    };
  });
}

class Verifier {
  readonly #rows: ReplayedRows;
  readonly #history: HistoryAudit;
  readonly #aliases: ReplayedAliases;
  /** Why the replay ended early, once it has. */
  #stopped: string | null = null;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly checks: Checks,
    private readonly audit: LogAudit,
    private readonly options: VerifyOptions,
  ) {
    createRowsTable(snapshot.connection, replayedTable);
    this.#rows = new ReplayedRows(snapshot.connection, replayedTable);
    this.#history = new HistoryAudit(snapshot.connection, checks);
    this.#aliases = new ReplayedAliases(snapshot.connection);
  }

  async run(): Promise<void> {
    const { signal, onProgress } = this.options;
    const total = this.snapshot.head.seq;
    await replay({
      log: this.snapshot.log,
      from: 0,
      to: total,
      apply: (batch) => {
        for (const event of batch) {
          this.audit.visit(event);
          this.#apply(event);
        }
      },
      onProgress: ({ position }) => onProgress?.({ done: position, total }),
      ...(signal === undefined ? {} : { signal }),
    });
    this.audit.finish();
    this.#foreignWrites();
    if (this.#stopped === null) await this.#compare();
    else for (const name of proven) this.checks.note(name, this.#stopped);
  }

  #apply(event: Parameters<LogAudit['visit']>[0]): void {
    if (this.#stopped !== null) return;
    try {
      const change = this.#rows.apply(event);
      if (change === null) {
        this.#history.expectTableEvent(event);
        this.#aliases.apply(event);
      } else this.#history.expect(change);
    } catch (error) {
      const message = isStoreError(error) ? error.message : `event ${event.seq} cannot be replayed`;
      const isUnknown = isStoreError(error) && error.code === 'UNKNOWN_EVENT';
      this.#stopped = isUnknown ? 'not proven: the log holds events that this version does not know' : 'not proven';
      if (!isUnknown) this.checks.fail('rows', message);
    }
  }

  async #compare(): Promise<void> {
    if (!areIdenticalRows(this.snapshot.connection, 'main.rows', replayedTable)) this.#nameDifference();
    this.#aliases.compare(this.checks);
    await this.#history.compare(async () => {
      await setImmediate();
      this.options.signal?.throwIfAborted();
    });
  }

  #nameDifference(): void {
    const { connection } = this.snapshot;
    for (const { kind, id, columns } of rowDifferences(connection, 'main.rows', replayedTable)) {
      this.checks.fail('rows', `row ${id} ${meanings[kind]}${columns.length > 0 ? ` (${columns.join(', ')})` : ''}`);
      break;
    }
    const misplaced = firstMisplaced(connection, 'main.rows', replayedTable);
    if (misplaced !== null) this.checks.fail('row order', `row ${misplaced} stands in another place than in the log`);
  }

  #foreignWrites(): void {
    const sql = 'SELECT row_id, op, count(*) OVER () AS n FROM _foreign_writes ORDER BY rowid LIMIT 1';
    const note = this.snapshot.connection.prepare<[], { row_id: string; op: string; n: number }>(sql).get();
    if (note === undefined) return;
    this.checks.fail('foreign writes', `${note.n} noted and not recorded; the first: ${note.op} of row ${note.row_id}`);
  }
}

const meanings = {
  missing: 'is missing',
  extra: 'is not in the log',
  changed: 'differs from the log',
} as const;
