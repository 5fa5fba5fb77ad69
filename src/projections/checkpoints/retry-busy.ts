/** Waits out another process's write lock without blocking the event loop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors.js';

/**
 * Runs a synchronous write; when SQLite says busy, tries again after 2 to 50 ms (with jitter) until the deadline.
 * @throws StoreError BUSY after `deadlineMs`; whatever else the write throws, at once.
 */
export async function retryBusy<T>(write: () => T, deadlineMs = 5_000): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (let step = 2; ; step = Math.min(50, step * 2)) {
    try {
      return write();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() >= deadline) throw new StoreError('BUSY', { retry_after_ms: 1_000 }, { cause: error });
      await sleep(1 + Math.random() * step);
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_BUSY')) return true;
  return isBusy(error.cause);
}
