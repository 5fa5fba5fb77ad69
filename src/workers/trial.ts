/** Does one job in a process of its own, then ends. */
import { once } from 'node:events';
import { assertTemplate, renderFilter } from '../ops/filter-template/render-filter.js';
import { failureOf } from '../ops/serve-jobs.js';
import type { RenderJob, TrialAnswer, TrialRequest } from '../ops/trial-process.js';
import { startWorker } from '../ops/worker-thread.js';
import { prepareQuery, type QueryJob } from '../projections/rows/raw-sql/trial.js';

const [{ job, limits }] = (await once(process, 'message')) as [TrialRequest];
try {
  const run = prepare(job);
  await once(startWorker('trial-watch', limits), 'message');
  await told({ kind: 'started' });
  await told({ kind: 'ended', result: run() });
} catch (error) {
  await told({ kind: 'failed', failure: failureOf(error) });
}
process.exit(0);

function prepare(asked: QueryJob | RenderJob): () => unknown {
  if (asked.kind !== 'render') return prepareQuery(asked);
  const { template, params } = asked;
  return params === null ? () => assertTemplate(template) : () => renderFilter(template, params);
}

/** Resolves when it is sent: nothing is sent while the work is done. */
function told(answer: TrialAnswer): Promise<void> {
  return new Promise((resolve) => process.send?.(answer, undefined, undefined, () => resolve()));
}
