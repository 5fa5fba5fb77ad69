/** How often the program waits for the disk, counted by strace: once per commit. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StdioClient } from '../../bench/client/stdio-client.js';
import { layOut, stdioServer } from '../../bench/product.js';
import { createRows, getting, updating } from '../../bench/work.js';
import { tempDir } from '../helpers/temp-dir.js';

const call = /\bf(data)?sync\(/g;

// Skipped where strace is not installed or may not trace.
test.skipIf(!canTrace())(
  'a write waits for the disk once, callers that come together once for all, a read never',
  async () => {
    const directory = tempDir();
    const trace = join(directory, 'trace');
    layOut(directory);
    const server = stdioServer(directory);
    const args = ['-f', '-o', trace, '-e', 'trace=fsync,fdatasync', process.execPath, ...server.args];
    const client = await StdioClient.connect({ ...server, program: 'strace', args });
    const waits = async (operation: () => Promise<unknown>) => {
      const before = countIn(trace);
      await operation();
      return countIn(trace) - before;
    };
    const [id = ''] = await createRows(client, 1);
    await createRows(client, 1);
    expect(await waits(() => createRows(client, 1))).toBe(1);
    expect(await waits(() => updating(client, [id])(1))).toBe(1);
    expect(await waits(() => client.call('delete', { table: 'issues', id }))).toBe(1);
    expect(await waits(() => client.call('list', { table: 'issues' }))).toBe(0);
    const [other = ''] = await createRows(client, 1);
    expect(await waits(() => getting(client, [other])(0))).toBe(0);
    // Calls over a pipe arrive in a few portions, each of which shares a commit.
    expect(await waits(() => createRows(client, 64))).toBeLessThanOrEqual(8);
    await client.close();
  },
);

function canTrace(): boolean {
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function countIn(trace: string): number {
  return readFileSync(trace, 'utf8').match(call)?.length ?? 0;
}
