/** Other servers, installed from npm into a directory of this run. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shared } from '../data/shared.js';
import { Unavailable } from '../figure.js';

const run = promisify(execFile);

/** The newest version of a package. @returns the folder of its commands. @throws Unavailable when npm cannot install it. */
export async function installed(name: string): Promise<string> {
  const directory = await shared(`peer-${name.replaceAll(/[^a-z0-9.-]/gi, '_')}`, (made) => install(name, made));
  return join(directory, 'node_modules', '.bin');
}

async function install(name: string, directory: string): Promise<void> {
  writeFileSync(join(directory, 'package.json'), '{"private":true}\n');
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', name], { cwd: directory, timeout: 300_000 });
  } catch (error) {
    const [reason] = /^npm (?:error|ERR!).*$/m.exec(error instanceof Error ? error.message : '') ?? [
      'npm install failed',
    ];
    throw new Unavailable(`${name} cannot be installed (${reason})`);
  }
}
