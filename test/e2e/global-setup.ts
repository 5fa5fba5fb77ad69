/** Builds `dist` once before the tests that run the program itself. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function build(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
