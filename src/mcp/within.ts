import { setTimeout as delay } from 'node:timers/promises';

/** Whether the work ended in time (milliseconds). It goes on either way. */
export async function within(work: Promise<unknown>, boundMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(boundMs, false, { signal: timer.signal }).catch(() => false);
  const done = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return done;
}
