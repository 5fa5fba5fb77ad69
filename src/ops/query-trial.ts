/**
 * Trying a caller's SQL in a process of its own. A running statement cannot be interrupted, and a thread that runs one
 * cannot be ended; a process can.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isStoreError, StoreError } from '../errors.js';
import type { TrialJob } from '../projections/rows/raw-sql/trial.js';
import { sourceLoader, workerFile } from './worker-file.js';
import { errorOf, type Failure } from './worker-thread.js';

export interface TrialLimits {
  /** Milliseconds that the statement may run. */
  readonly time: number;
  /** Milliseconds until it may begin: starting, and copying the table. */
  readonly preparation: number;
  /** Bytes of the whole process. */
  readonly memory: number;
}

export interface TrialRequest {
  readonly job: TrialJob;
  readonly limits: TrialLimits;
}
export type TrialAnswer = { readonly kind: 'started' } | { readonly kind: 'ended'; readonly failure: Failure | null };

/** A statement that passes runs in the server next, which it holds up as long as it took: hence no more time. */
export const trialLimits: TrialLimits = { time: 2_000, preparation: 15_000, memory: 512 * 1024 * 1024 };

/** Trials that may wait for the one under way. */
const mostWaiting = 16;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * @returns why the statement is refused for what it answers with or changes; null when it is not, whether or not SQLite
 *   took it: what is wrong with it otherwise shows when it is run.
 * @throws StoreError VALIDATION_ERROR, field `sql`, for one that takes too much time or memory; BUSY when too many wait or
 *   no process can be started.
 */
export async function tryQuery(job: TrialJob, limits = trialLimits): Promise<StoreError | null> {
  if (waiting >= mostWaiting) throw new StoreError('BUSY', { retry_after_ms: limits.time });
  waiting++;
  const trial = last.then(() => new Trial(job, limits).ended());
  last = trial.catch(() => undefined);
  try {
    return await trial;
  } finally {
    waiting--;
  }
}

class Trial {
  readonly #child: ChildProcess;
  #timer: NodeJS.Timeout;
  #started = 0;

  constructor(
    job: TrialJob,
    private readonly limits: TrialLimits,
  ) {
    this.#child = startProcess('query-trial');
    this.#timer = this.#killAfter(limits.preparation);
    this.#child.send({ job, limits } satisfies TrialRequest, () => undefined);
  }

  async ended(): Promise<StoreError | null> {
    try {
      const failure = await this.#answer();
      const error = failure === null ? null : errorOf(failure);
      return isStoreError(error) && error.code === 'VALIDATION_ERROR' ? error : null;
    } finally {
      clearTimeout(this.#timer);
      this.#child.kill('SIGKILL');
    }
  }

  #answer(): Promise<Failure | null> {
    return new Promise((resolve, reject) => {
      this.#child.on('message', (answer: TrialAnswer) => {
        if (answer.kind === 'ended') resolve(answer.failure);
        else this.#begin();
      });
      this.#child.on('error', (cause) => reject(new StoreError('BUSY', { retry_after_ms: 1_000 }, { cause })));
      this.#child.on('exit', () => reject(this.#refusal()));
    });
  }

  #begin(): void {
    this.#started = Date.now();
    clearTimeout(this.#timer);
    this.#timer = this.#killAfter(this.limits.time);
  }

  #killAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#child.kill('SIGKILL'), milliseconds);
  }

  #refusal(): StoreError<'VALIDATION_ERROR'> {
    const { time, preparation, memory } = this.limits;
    if (this.#started === 0) return tooMuch(`it could not be tried within ${preparation / 1000} s`);
    if (Date.now() - this.#started >= time) return tooMuch(`it runs for more than ${time / 1000} s`);
    return tooMuch(`it needs more than ${memory / 2 ** 20} MiB of memory`);
  }
}

function tooMuch(reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError('VALIDATION_ERROR', { field: 'sql', reason: `${reason}; nothing was changed` }, { hint });
}

const hint =
  'Join on a condition that leaves few pairs, lower the LIMIT of recursive tables, add WHERE and LIMIT where rows are read, or send the statement in parts.';

function startProcess(name: string): ChildProcess {
  const { url, isSource } = workerFile(name);
  return fork(fileURLToPath(url), [], {
    execArgv: isSource ? sourceLoader() : [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
