/** Trying the SQL of a caller before it runs in the server. */
import { isStoreError, StoreError } from '../errors.js';
import type { QueryJob } from '../projections/rows/raw-sql/trial.js';
import { inTrial, TrialStopped, trialLimits } from './trial-process.js';

/**
 * @returns why the statement is refused for what it answers with or changes; null when it is not, whether or not SQLite
 *   took it: what is wrong with it otherwise shows when it is run.
 * @throws StoreError VALIDATION_ERROR, field `sql`, for one that takes too much time or memory; BUSY when too many wait or
 *   no process can be started.
 */
export async function tryQuery(job: QueryJob, limits = trialLimits): Promise<StoreError | null> {
  try {
    await inTrial(job, limits);
    return null;
  } catch (error) {
    if (error instanceof TrialStopped) throw tooMuch(error.message);
    if (isStoreError(error) && error.code === 'BUSY') throw error;
    return isStoreError(error) && error.code === 'VALIDATION_ERROR' ? error : null;
  }
}

function tooMuch(reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError('VALIDATION_ERROR', { field: 'sql', reason: `${reason}; nothing was changed` }, { hint });
}

const hint =
  'Join on a condition that leaves few pairs, lower the LIMIT of recursive tables, add WHERE and LIMIT where rows are read, or send the statement in parts.';
