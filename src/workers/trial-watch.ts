/** Ends its process when that takes too much: SQLite itself can only be stopped together with the process. */
import { parentPort, workerData } from 'node:worker_threads';
import type { TrialLimits } from '../ops/trial-process.js';

const { memory, time } = workerData as TrialLimits;
// The process that waits ends a trial in time; this holds when that one is gone.
const deadline = Date.now() + 2 * time;

setInterval(() => {
  if (process.memoryUsage.rss() > memory || Date.now() > deadline) process.kill(process.pid, 'SIGKILL');
}, 20);
parentPort?.postMessage('ready');
