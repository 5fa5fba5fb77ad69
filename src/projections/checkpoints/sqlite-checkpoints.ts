/**
 * `_checkpoints` in SQLite. It has a connection of its own with `synchronous=NORMAL`: a position lost with the power only
 * means that a few events are applied twice, which every follower bears, so no write waits for the disk.
 */
import type { Database } from 'better-sqlite3';
import { type Checkpoint, type Checkpoints, LeaseLost } from './checkpoints.js';
import { isDeadOwner, newOwner } from './lease-owner.js';
import { retryBusy } from './retry-busy.js';
import { type CheckpointStatements, prepareCheckpoints } from './statements.js';

export interface CheckpointOptions {
  /** `host:pid:random`; fresh by default. */
  readonly owner?: string;
  /** How long a lease lasts when it is not renewed. Default 10 s. */
  readonly leaseMs?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export class SqliteCheckpoints implements Checkpoints {
  readonly #owner: string;
  readonly #leaseMs: number;
  readonly #now: () => number;
  readonly #statements: CheckpointStatements;

  /** Takes the connection over: nothing else may use it, and closing it stays with the caller. */
  constructor(database: Database, options: CheckpointOptions = {}) {
    // Without a WAL, NORMAL could damage the file itself.
    if (database.pragma('journal_mode', { simple: true }) === 'wal') database.pragma('synchronous = NORMAL');
    // Waiting inside SQLite stops the event loop, so it is short; `retryBusy` waits outside.
    database.pragma('busy_timeout = 20');
    this.#owner = options.owner ?? newOwner();
    this.#leaseMs = options.leaseMs ?? 10_000;
    this.#now = options.now ?? Date.now;
    this.#statements = prepareCheckpoints(database);
  }

  read(name: string): Checkpoint | null {
    return this.#statements.read.get({ name }) ?? null;
  }

  async register(name: string, version: number, start: number): Promise<void> {
    if (this.read(name)?.version === version) return;
    await retryBusy(() => this.#statements.register.run({ name, version, start, now: this.#now() }));
  }

  async acquire(name: string, version: number): Promise<number | null> {
    const taken = await retryBusy(() => {
      const now = this.#now();
      const lease = { until: now + this.#leaseMs, latest: now + 10 * this.#leaseMs };
      return this.#statements.acquire.get({
        name,
        version,
        now,
        owner: this.#owner,
        dead: this.#deadOwner(name),
        ...lease,
      });
    });
    return taken?.position ?? null;
  }

  async renew(name: string): Promise<void> {
    const renewal = { name, owner: this.#owner, until: this.#now() + this.#leaseMs };
    const { changes } = await retryBusy(() => this.#statements.renew.run(renewal));
    if (changes === 0) throw new LeaseLost(name);
  }

  assertLeased(name: string): void {
    const row = this.#statements.read.get({ name });
    if (row?.owner !== this.#owner || row.leaseUntil < this.#now()) throw new LeaseLost(name);
  }

  async advance(name: string, from: number, to: number): Promise<void> {
    const move = { name, owner: this.#owner, from, to, now: this.#now() };
    const { changes } = await retryBusy(() => this.#statements.advance.run(move));
    if (changes === 0) throw new LeaseLost(name);
  }

  async release(name: string): Promise<void> {
    await retryBusy(() => this.#statements.release.run({ name, owner: this.#owner }));
  }

  async recordFailure(name: string, message: string): Promise<number> {
    const counted = await retryBusy(() => this.#statements.fail.get({ name, message, now: this.#now() }));
    return counted?.failures ?? 1;
  }

  #deadOwner(name: string): string | null {
    const owner = this.#statements.read.get({ name })?.owner ?? null;
    return owner !== null && isDeadOwner(owner) ? owner : null;
  }
}
