/** Data that takes long to make and that several measurements use: made once per run, removed at its end. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../measure.js';

const made = new Map<string, Promise<string>>();
let root: string | null = null;

/** The directory of that name, filled by the first who asks. What a measurement changes in it, the next one finds. */
export function shared(name: string, fill: (directory: string) => unknown): Promise<string> {
  const directory = made.get(name) ?? make(name, fill);
  made.set(name, directory);
  return directory;
}

async function make(name: string, fill: (directory: string) => unknown): Promise<string> {
  const directory = join(rootDirectory(), name);
  mkdirSync(directory);
  await fill(directory);
  waitForDisk();
  return directory;
}

/** Or the system writes the data out while something is measured that waits for the disk as well. */
function waitForDisk(): void {
  if (process.platform !== 'win32') spawnSync('sync');
}

function rootDirectory(): string {
  if (root !== null) return root;
  const directory = makeDirectory();
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  root = directory;
  return directory;
}
