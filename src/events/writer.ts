/**
 * The one writer of a database file in this process (rulings 3.4). A bounded first-in-first-out queue; what is queued shares
 * one `BEGIN IMMEDIATE … COMMIT` with `synchronous=FULL`, every job in a savepoint of its own, no `await` inside, answers
 * after COMMIT. A job that fails takes nobody with it.
 */
import { StoreError } from '../errors.js';
import { type Connection, isBusy } from './database.js';
import { PrepareFirst } from './inline-projection.js';
import { storageError } from './storage-error.js';

export interface WriterLimits {
  /** Jobs that may wait. */
  readonly queue: number;
  /** Jobs that share a commit. */
  readonly batch: number;
  /** How long a job waits for the lock of another process, in milliseconds. */
  readonly busy: number;
}

export const defaultLimits: WriterLimits = { queue: 1024, batch: 256, busy: 5000 };

/** What the writer calls around the jobs of one transaction. */
export interface WriterHooks {
  /** After BEGIN: reads what the jobs build on, fresh from the database. */
  begun(): void;
  /** Before each job and after one that was rolled back: forget what it did. */
  reset(): void;
  /** After each job that stays. */
  kept(): void;
  /** After COMMIT. */
  committed(): void;
}

interface Job {
  readonly run: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: number;
  attempts: number;
}

/** A job that asks for preparation again and again is given up. */
const mostAttempts = 8;

export class Writer {
  readonly #queue: Job[] = [];
  readonly #statements;
  #draining: Promise<void> | null = null;
  #closed = false;

  constructor(
    private readonly connection: Connection,
    private readonly hooks: WriterHooks,
    private readonly limits: WriterLimits = defaultLimits,
  ) {
    this.#statements = {
      begin: connection.prepare('BEGIN IMMEDIATE'),
      commit: connection.prepare('COMMIT'),
      rollback: connection.prepare('ROLLBACK'),
      savepoint: connection.prepare('SAVEPOINT job'),
      release: connection.prepare('RELEASE job'),
      undo: connection.prepare('ROLLBACK TO job'),
    };
  }

  /**
   * Queues a synchronous job and answers with its result after COMMIT.
   * @throws StoreError BUSY when the queue is full or the lock was not had in time; whatever the job throws.
   */
  submit<T>(run: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreError('STORAGE_ERROR', { detail: 'the table is closed' }));
    if (this.#queue.length >= this.limits.queue) return Promise.reject(busy());
    return new Promise<T>((resolve, reject) => {
      const deadline = Date.now() + this.limits.busy;
      this.#queue.push({ run, resolve: resolve as (result: unknown) => void, reject, deadline, attempts: 0 });
      this.#draining ??= this.#drain();
    });
  }

  /** Lets what is queued finish, then refuses more. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#draining !== null) await this.#draining;
  }

  async #drain(): Promise<void> {
    // One turn of the event loop gathers the callers that arrive together.
    await nextTurn();
    try {
      while (this.#queue.length > 0) {
        if (await this.#begin()) await this.#runBatch();
        await nextTurn();
      }
    } finally {
      this.#draining = null;
    }
  }

  /** Waits for the write lock without blocking the event loop. False when nobody is left to wait for it. */
  async #begin(): Promise<boolean> {
    for (let attempt = 0; this.#queue.length > 0; attempt++) {
      try {
        this.#statements.begin.run();
        return true;
      } catch (error) {
        if (!isBusy(error)) this.#rejectAll(storageError(error));
        else this.#rejectLate();
      }
      await pause(Math.min(2 ** Math.min(attempt, 5), 25) * Math.random());
    }
    return false;
  }

  async #runBatch(): Promise<void> {
    const jobs = this.#queue.splice(0, this.limits.batch);
    const outcome = this.#transaction(jobs);
    this.#queue.unshift(...jobs.slice(outcome.done));
    if (outcome.prepare !== null) await this.#prepare(outcome.prepare);
  }

  /** Runs jobs until the first that needs preparation, and commits. */
  #transaction(jobs: readonly Job[]): { done: number; prepare: PrepareFirst | null } {
    const answers: (() => void)[] = [];
    let prepare: PrepareFirst | null = null;
    let done = 0;
    try {
      this.hooks.begun();
      for (const job of jobs) {
        const answer = this.#runJob(job);
        if (answer instanceof PrepareFirst) {
          prepare = answer;
          break;
        }
        done++;
        answers.push(answer);
        if (!this.connection.inTransaction) return this.#recover(jobs, job, answer);
      }
      this.#statements.commit.run();
    } catch (error) {
      this.#rollback();
      for (const job of jobs.slice(0, Math.max(done, 1))) job.reject(storageError(error));
      return { done: Math.max(done, 1), prepare: null };
    }
    this.hooks.committed();
    for (const answer of answers) answer();
    return { done, prepare };
  }

  /** Runs one job in its savepoint. Returns how it is to be answered once the transaction has committed. */
  #runJob(job: Job): (() => void) | PrepareFirst {
    this.#statements.savepoint.run();
    this.hooks.reset();
    try {
      const result = job.run();
      this.#statements.release.run();
      this.hooks.kept();
      return () => job.resolve(result);
    } catch (error) {
      this.#undo();
      if (error instanceof PrepareFirst && ++job.attempts <= mostAttempts) return error;
      return () => job.reject(storageError(error));
    }
  }

  #undo(): void {
    if (!this.connection.inTransaction) return;
    this.#statements.undo.run();
    this.#statements.release.run();
    this.hooks.reset();
  }

  /** A full disk or a failed write made SQLite roll everything back: the culprit is answered, the others run again. */
  #recover(jobs: readonly Job[], culprit: Job, answer: () => void): { done: number; prepare: null } {
    answer();
    this.#queue.unshift(...jobs.slice(0, jobs.indexOf(culprit)));
    return { done: jobs.indexOf(culprit) + 1, prepare: null };
  }

  async #prepare(needed: PrepareFirst): Promise<void> {
    try {
      await needed.prepare();
    } catch (error) {
      this.#queue.shift()?.reject(storageError(error));
    }
  }

  #rollback(): void {
    if (this.connection.inTransaction) this.#statements.rollback.run();
  }

  #rejectLate(): void {
    const now = Date.now();
    while (this.#queue[0] !== undefined && this.#queue[0].deadline < now) this.#queue.shift()?.reject(busy());
  }

  #rejectAll(error: unknown): void {
    for (const job of this.#queue.splice(0)) job.reject(error);
  }
}

function busy(): StoreError<'BUSY'> {
  return new StoreError('BUSY', { retry_after_ms: 200 });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
