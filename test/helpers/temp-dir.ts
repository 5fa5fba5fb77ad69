import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh directory for the running test, its links resolved; removed when the test is over. */
export function tempDir(): string {
  const directory = newDir();
  onTestFinished(() => removeDir(directory));
  return directory;
}

/** A fresh directory that its maker removes: for several in one test, as in a property. */
export function newDir(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'mini-app-mcp-test-')));
}

export function removeDir(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
