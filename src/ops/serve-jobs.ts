/** The worker's side of `worker-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import { isStoreError } from '../errors.js';
import type { Failure, JobAnswer, JobMessage } from './worker-thread.js';

/** Answers every job of this worker with what `run` returns or throws. A job waits for the one before it. */
export function serveJobs<J, R>(run: (job: J) => R): void {
  const port = parentPort;
  if (port === null) throw new Error('this file runs as a worker only');
  port.on('message', ({ id, job }: JobMessage) => {
    // The thread that sends jobs is made for this file's jobs; a message has no type of its own.
    port.postMessage(answerTo(id, () => run(job as J)));
  });
}

function answerTo(id: number, run: () => unknown): JobAnswer {
  try {
    return { id, result: run() };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}

/** An error as plain data. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (!isStoreError(error)) return { code: null, fields: {}, message };
  return { code: error.code, fields: error.fields, hint: error.hint, message };
}
