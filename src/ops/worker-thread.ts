/**
 * Long reads in a thread of their own, so that a server that others use goes on answering. A worker file is an entry of
 * `src/workers`; it answers one job after the other.
 */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { type ErrorCode, type ErrorFields, StoreError } from '../errors.js';
import { workerFile } from './worker-file.js';

/** What goes to a worker, and what comes back. Both are copied, so they are plain data. */
export interface JobMessage {
  readonly id: number;
  readonly job: unknown;
}
export type JobAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

/** An error on its way between threads, which do not share classes. */
export interface Failure {
  readonly code: ErrorCode | null;
  readonly fields: unknown;
  readonly hint?: string;
  readonly message: string;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A worker without work ends after this long, in milliseconds. */
const idleTime = 30_000;

/** One worker, started by the first job, ended when it idles. It keeps the process alive only while there is a job. */
export class WorkerThread<J, R> {
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** @param name a file of `src/workers`, without its ending. */
  constructor(
    private readonly name: string,
    private readonly idleMs = idleTime,
  ) {}

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /** @throws StoreError what the job throws; Error when the worker dies. */
  run(job: J): Promise<R> {
    const worker = this.#start();
    const id = ++this.#lastId;
    return new Promise<R>((resolve, reject) => {
      // The worker's file and the type of its jobs belong together; a message has no type of its own.
      this.#waiting.set(id, { resolve: (result) => resolve(result as R), reject });
      worker.postMessage({ id, job } satisfies JobMessage);
    });
  }

  /** Ends the worker; jobs under way fail. The next job starts another. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#lost(worker, new Error('the worker was closed'));
    await worker?.terminate();
  }

  #start(): Worker {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#worker ??= this.#spawn();
    this.#worker.ref();
    return this.#worker;
  }

  #spawn(): Worker {
    const worker = startWorker(this.name);
    worker.on('message', (answer: JobAnswer) => this.#settle(answer));
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', (code) => this.#lost(worker, new Error(`worker ${this.name} ended with code ${code}`)));
    return worker;
  }

  #settle(answer: JobAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#rest();
    if ('failure' in answer) waiting?.reject(errorOf(answer.failure));
    else waiting?.resolve(answer.result);
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.close(), this.idleMs);
    this.#idle.unref();
  }

  #lost(worker: Worker | null, error: unknown): void {
    if (worker === null || worker !== this.#worker) return;
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

const loader = 'tsx/esm/api';

/** Starts a file of `src/workers`; `data` is copied. */
export function startWorker(name: string, data?: unknown, options: WorkerOptions = {}): Worker {
  const { url, isSource } = workerFile(name);
  if (!isSource) return new Worker(url, { ...options, workerData: data });
  // Run from source: Node needs a loader for TypeScript, which a worker does not inherit.
  const source = JSON.stringify(url.href);
  const load = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(load, { ...options, eval: true, workerData: data });
}

/** The error again, on the side that asked. */
export function errorOf({ code, fields, hint, message }: Failure): Error {
  if (code === null) return new Error(message);
  // The fields were those of a StoreError with this code before they were copied.
  return new StoreError(code, fields as ErrorFields[ErrorCode], hint === undefined ? {} : { hint });
}
