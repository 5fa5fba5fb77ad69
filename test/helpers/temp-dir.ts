import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh directory, its links resolved. */
export function tempDir(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'mini-app-mcp-test-')));
}

export function removeDir(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
