import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadName } from './loads.js';

const file = fileURLToPath(new URL('./load-client.ts', import.meta.url));

/** Puts a load on the server at a port. @returns how to end it; the call under way is waited for. */
export async function startLoad(port: number, name: LoadName): Promise<() => Promise<void>> {
  const args = ['--import', 'tsx', file, String(port), name];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await exited;
  };
}
