/** Tries one statement in a process of its own, then ends. */
import { once } from 'node:events';
import type { TrialAnswer, TrialRequest } from '../ops/query-trial.js';
import { failureOf } from '../ops/serve-jobs.js';
import { startWorker } from '../ops/worker-thread.js';
import { prepareTrial } from '../projections/rows/raw-sql/trial.js';

const [{ job, limits }] = (await once(process, 'message')) as [TrialRequest];
try {
  const run = prepareTrial(job);
  await once(startWorker('trial-watch', limits), 'message');
  await told({ kind: 'started' });
  run();
  await told({ kind: 'ended', failure: null });
} catch (error) {
  await told({ kind: 'ended', failure: failureOf(error) });
}
process.exit(0);

/** Resolves when it is sent: nothing is sent while SQLite runs. */
function told(answer: TrialAnswer): Promise<void> {
  return new Promise((resolve) => process.send?.(answer, undefined, undefined, () => resolve()));
}
