import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { SmallLog } from './small-log.js';
import { newDir, removeDir } from './temp-dir.js';

/** A fresh directory with a log in it for every test of the file. */
export function useTempLog(): { readonly dir: string; readonly log: SmallLog } {
  let dir = '';
  let log: SmallLog | null = null;
  beforeEach(() => {
    dir = newDir();
    log = new SmallLog(join(dir, 'table.db'));
  });
  afterEach(() => {
    log?.close();
    removeDir(dir);
  });
  return {
    get dir() {
      return dir;
    },
    get log() {
      if (log === null) throw new Error('there is a log only while a test runs');
      return log;
    },
  };
}

/** Looks again every few milliseconds until it is so. */
export async function eventually(check: () => boolean, timeoutMs = 5_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!check()) {
    if (Date.now() > deadline) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
