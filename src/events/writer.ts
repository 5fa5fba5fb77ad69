/**
 * The one writer of a database file in this process (rulings 3.4). A bounded first-in-first-out queue; what is queued shares
 * one `BEGIN IMMEDIATE … COMMIT` with `synchronous=FULL`, no `await` inside, answers after COMMIT. A job that fails takes
 * nobody with it: nearly every refusal comes before the job has written anything, and then there is nothing to undo. When
 * one fails later, the transaction is rolled back and its jobs run again, each in a savepoint of its own. (Savepoints
 * around every job would copy each page they touch, which costs a third of the grouped rate: docs/benchmarks.md.)
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
  /** After BEGIN: makes sure of what the jobs build on, from the database. */
  begun(): void;
  /** Before each job and after one that was rolled back: forget what it did. */
  reset(): void;
  /** After each job that stays. */
  kept(): void;
  /** Takes back what the present job did outside the database. */
  undo(): void;
  /** The same for every job of the transaction; while the lock is held, where SQLite has not given it up. */
  undoAll(): void;
  /** Whether any job of the transaction stays. */
  hasKept(): boolean;
  /** Whether the present job has written nothing yet. */
  isClean(): boolean;
  /** After COMMIT. */
  committed(): void;
}

interface Job {
  readonly run: (urgent: boolean) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: number;
  attempts: number;
}

type Answer = () => void;

interface Failure {
  readonly error: unknown;
}

interface Preparation {
  readonly job: Job;
  readonly needed: PrepareFirst;
}

interface Outcome {
  /** Jobs that run again, before all others. */
  readonly again: readonly Job[];
  readonly prepare: Preparation | null;
  /** How many of the next jobs run in savepoints. */
  readonly careful: number;
}

/** A job that has been prepared so often runs a last time, urgently; if it asks again it is given up. */
const mostAttempts = 4;

export class Writer {
  readonly #queue: Job[] = [];
  readonly #statements;
  #draining: Promise<void> | null = null;
  #closed = false;
  #careful = 0;

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
  submit<T>(run: (urgent: boolean) => T): Promise<T> {
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
    const jobs = this.#queue.splice(0, this.#careful || this.limits.batch);
    const outcome = this.#transaction(jobs, this.#careful > 0);
    this.#queue.unshift(...outcome.again);
    this.#careful = outcome.careful;
    if (outcome.prepare !== null) await this.#prepare(outcome.prepare);
  }

  #transaction(jobs: readonly Job[], careful: boolean): Outcome {
    const answers: Answer[] = [];
    try {
      this.hooks.begun();
      for (const [at, job] of jobs.entries()) {
        const ended = careful ? this.#runInSavepoint(job) : this.#run(job);
        if (typeof ended === 'function') answers.push(ended);
        else if ('needed' in ended) {
          this.#finish(answers);
          return { again: jobs.slice(at), prepare: ended, careful: 0 };
        } else return this.#startAgain(jobs, job, ended.error, careful);
      }
      this.#finish(answers);
    } catch (error) {
      this.#rollback();
      for (const job of jobs) job.reject(storageError(error));
    }
    return { again: [], prepare: null, careful: 0 };
  }

  #finish(answers: readonly Answer[]): void {
    // Jobs that were all refused leave the file alone, and need no wait for the disk.
    (this.hooks.hasKept() ? this.#statements.commit : this.#statements.rollback).run();
    this.hooks.committed();
    for (const answer of answers) answer();
  }

  /** Runs a job. Returns how to answer it after COMMIT, or why everything has to be undone. */
  #run(job: Job): Answer | Failure {
    this.hooks.reset();
    try {
      const result = job.run(job.attempts >= mostAttempts);
      this.hooks.kept();
      return () => job.resolve(result);
    } catch (error) {
      if (!this.hooks.isClean() || !this.connection.inTransaction) return { error };
      this.hooks.undo();
      this.hooks.reset();
      return () => job.reject(storageError(error));
    }
  }

  #runInSavepoint(job: Job): Answer | Failure | Preparation {
    this.#statements.savepoint.run();
    const ended = this.#run(job);
    if (typeof ended === 'function') {
      this.#statements.release.run();
      return ended;
    }
    // A full disk or a failed write makes SQLite roll everything back by itself.
    if (!this.connection.inTransaction) return ended;
    this.hooks.undo();
    this.#statements.undo.run();
    this.#statements.release.run();
    this.hooks.reset();
    return this.#preparation(job, ended.error) ?? (() => job.reject(storageError(ended.error)));
  }

  /** Rolls the transaction back. Its jobs run again, with care, but for one that failed where nobody else can have. */
  #startAgain(jobs: readonly Job[], culprit: Job, error: unknown, careful: boolean): Outcome {
    this.#rollback();
    const prepare = this.#preparation(culprit, error);
    const isToBlame = prepare === null && (careful || jobs.length === 1);
    if (isToBlame) culprit.reject(storageError(error));
    const again = isToBlame ? jobs.filter((job) => job !== culprit) : jobs;
    return { again, prepare, careful: again.length > 1 ? again.length : 0 };
  }

  #preparation(job: Job, error: unknown): Preparation | null {
    return error instanceof PrepareFirst && ++job.attempts <= mostAttempts ? { job, needed: error } : null;
  }

  async #prepare({ job, needed }: Preparation): Promise<void> {
    try {
      await needed.prepare();
    } catch (error) {
      const at = this.#queue.indexOf(job);
      if (at >= 0) this.#queue.splice(at, 1);
      job.reject(storageError(error));
    }
  }

  #rollback(): void {
    this.hooks.undoAll();
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
