/** One follower's attempts. Position, failures and lease live in the database only; here is nothing that could be stale. */
import { isStoreError, StoreError } from '../errors.js';
import { type BackOff, waitAfter } from './back-off.js';
import { type Checkpoint, type Checkpoints, LeaseLost } from './checkpoints/checkpoints.js';
import { drain, type ReadableLog } from './drain.js';
import { progressOf } from './progress.js';
import type { Follower, Progress } from './projection.js';
import { unrefInterval } from './unref-timer.js';

export interface RunOptions {
  readonly checkpoints: Checkpoints;
  readonly backOff: BackOff;
  readonly batchSize: number;
  readonly renewMs: number;
  readonly now: () => number;
  readonly report: (follower: string, error: unknown) => void;
}

type Emit = (progress: Progress) => void;

/** How soon to look again while another process does the work. */
const takeOverMs = 50;

export class FollowerRun {
  readonly #log: ReadableLog;
  readonly #follower: Follower;
  readonly #options: RunOptions;
  #registered = false;
  /** The first attempt of a process never waits: what made the last one fail may have been put right. */
  #first = true;

  constructor(log: ReadableLog, follower: Follower, options: RunOptions) {
    this.#log = log;
    this.#follower = follower;
    this.#options = options;
  }

  /** Applies what is new. Never rejects. Answers after how many milliseconds to try again without a signal, or null. */
  async attempt(emit: Emit, signal: AbortSignal): Promise<number | null> {
    try {
      await this.#register();
      const again = await this.#catchUp(emit, signal);
      emit(progressOf(this.#checkpoint(), this.#follower.version, this.#options.backOff));
      return again;
    } catch (error) {
      if (error instanceof LeaseLost) return jitter(takeOverMs);
      if (signal.aborted && error === signal.reason) return null;
      return await this.#fail(error, emit);
    }
  }

  async #register(): Promise<void> {
    if (this.#registered) return;
    const { name, version, startsAt } = this.#follower;
    const start = startsAt === 'origin' ? 0 : await this.#log.head();
    await this.#options.checkpoints.register(name, version, start);
    this.#registered = true;
  }

  async #catchUp(emit: Emit, signal: AbortSignal): Promise<number | null> {
    while (!signal.aborted) {
      const checkpoint = this.#checkpoint();
      // Another version has taken over; the slow timer looks whether that is still so.
      if (checkpoint.version !== this.#follower.version) return this.#options.backOff.parkedMs;
      const head = await this.#log.head();
      if (checkpoint.position >= head) return null;
      const wait = this.#remainingWait(checkpoint);
      if (wait > 0) return wait;
      if (!(await this.#drainLeased(head, emit, signal))) return jitter(takeOverMs);
    }
    return null;
  }

  /** False when another process holds the lease. */
  async #drainLeased(head: number, emit: Emit, signal: AbortSignal): Promise<boolean> {
    const { checkpoints } = this.#options;
    const { name, version } = this.#follower;
    // The position comes from the acquisition itself: an earlier reading may be somebody else's past.
    const position = await checkpoints.acquire(name, version);
    if (position === null) return false;
    const renewing = unrefInterval(this.#options.renewMs).subscribe(() => {
      // A lease that cannot be renewed shows at the next assertion or move.
      checkpoints.renew(name).catch(() => undefined);
    });
    try {
      await this.#drain({ from: position, to: head }, emit, signal);
      return true;
    } finally {
      renewing.unsubscribe();
      // One that cannot be given back runs out.
      await checkpoints.release(name).catch(() => undefined);
    }
  }

  async #drain(range: { from: number; to: number }, emit: Emit, signal: AbortSignal): Promise<void> {
    const { checkpoints, batchSize } = this.#options;
    const { name } = this.#follower;
    const assertLeased = () => checkpoints.assertLeased(name);
    await drain(this.#log, range, { batchSize, signal }, async (batch, from, to) => {
      await this.#follower.apply(batch, { position: from, signal, assertLeased });
      await checkpoints.advance(name, from, to);
      this.#first = false;
      emit({ position: to, state: 'live', lastError: null });
    });
  }

  async #fail(error: unknown, emit: Emit): Promise<number> {
    const { checkpoints, backOff } = this.#options;
    this.#first = false;
    this.#report(error);
    const message = describe(error);
    try {
      const failures = await checkpoints.recordFailure(this.#follower.name, message);
      emit(progressOf(this.#checkpoint(), this.#follower.version, backOff));
      return waitAfter(failures, backOff);
    } catch {
      // Not even the failure could be kept, so the database itself is in trouble: the first error says more.
      emit({ position: 0, state: 'parked', lastError: message });
      return backOff.maxMs;
    }
  }

  #report(error: unknown): void {
    try {
      this.#options.report(this.#follower.name, error);
    } catch {
      // A log that cannot be written must not end the follower.
    }
  }

  /** What is left of the back-off. It counts from the database, so that processes do not add up to a hammer. */
  #remainingWait(checkpoint: Checkpoint): number {
    if (this.#first) return 0;
    const since = this.#options.now() - checkpoint.updatedAt;
    // Negative after the clock was set back.
    return since < 0 ? 0 : Math.max(0, waitAfter(checkpoint.failures, this.#options.backOff) - since);
  }

  #checkpoint(): Checkpoint {
    const { name } = this.#follower;
    const kept = this.#options.checkpoints.read(name);
    if (kept !== null) return kept;
    // Somebody removed it: the next attempt registers it again.
    this.#registered = false;
    throw new StoreError('STORAGE_ERROR', { detail: `the checkpoint of ${name} is gone` });
  }
}

/** What may be shown to everybody: the message of somebody else's error could hold a path or a statement. */
function describe(error: unknown): string {
  if (isStoreError(error)) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return 'INTERNAL: unknown error';
  return `INTERNAL: ${'code' in error ? String(error.code) : error.name}`;
}

function jitter(ms: number): number {
  return ms * (0.5 + Math.random());
}
