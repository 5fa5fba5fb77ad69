/**
 * Work of a caller's making (SQL, templates) in a process of its own. A running statement cannot be interrupted, and a thread
 * that runs one cannot be ended; a process can.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StoreError } from '../errors.js';
import type { QueryJob } from '../projections/rows/raw-sql/trial.js';
import type { JsonObject } from '../schema/json.js';
import { sourceLoader, workerFile } from './worker-file.js';
import { errorOf, type Failure } from './worker-thread.js';

/** What the process is asked to do: plain data. */
export type TrialJob = QueryJob | RenderJob;

export interface RenderJob {
  readonly kind: 'render';
  readonly template: string;
  /** Null: the template is only compiled. */
  readonly params: JsonObject | null;
}

export interface TrialLimits {
  /** Milliseconds that the work may take. */
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
export type TrialAnswer =
  | { readonly kind: 'started' }
  | { readonly kind: 'ended'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A statement that passes runs in the server next, which it holds up as long as it took: hence no more time. */
export const trialLimits: TrialLimits = { time: 2_000, preparation: 15_000, memory: 512 * 1024 * 1024 };

/** The work was stopped because it took too much. */
export class TrialStopped extends Error {}

/** Jobs that may wait for the one under way. */
const mostWaiting = 16;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Does a job, one at a time. Returns what it returns and throws what it throws.
 * @throws TrialStopped with the reason; StoreError BUSY when too many wait or no process can be started.
 */
export async function inTrial(job: TrialJob, limits: TrialLimits = trialLimits): Promise<unknown> {
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
    this.#child = startProcess('trial');
    this.#timer = this.#killAfter(limits.preparation);
    this.#child.send({ job, limits } satisfies TrialRequest, () => undefined);
  }

  async ended(): Promise<unknown> {
    try {
      return await this.#answer();
    } finally {
      clearTimeout(this.#timer);
      this.#child.kill('SIGKILL');
    }
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#child.on('message', (answer: TrialAnswer) => {
        if (answer.kind === 'started') this.#begin();
        else if (answer.kind === 'ended') resolve(answer.result);
        else reject(errorOf(answer.failure));
      });
      this.#child.on('error', (cause) => reject(new StoreError('BUSY', { retry_after_ms: 1_000 }, { cause })));
      this.#child.on('exit', () => reject(new TrialStopped(this.#reason())));
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

  #reason(): string {
    const { time, preparation, memory } = this.limits;
    if (this.#started === 0) return `it could not be tried within ${preparation / 1000} s`;
    if (Date.now() - this.#started >= time) return `it runs for more than ${time / 1000} s`;
    return `it needs more than ${memory / 2 ** 20} MiB of memory`;
  }
}

function startProcess(name: string): ChildProcess {
  const { url, isSource } = workerFile(name);
  return fork(fileURLToPath(url), [], {
    execArgv: isSource ? sourceLoader() : [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
