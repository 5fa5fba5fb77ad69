/** One entry of MINI_APP_PLUGINS: `[worker:]<path or package>`. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface PluginSpec {
  /** In this thread, or in a worker of its own. */
  readonly runs: 'here' | 'worker';
  /** What to import: a file URL, or the name of a package. */
  readonly module: string;
  /** The same in short, without directories, for messages. */
  readonly shown: string;
}

/** What begins with `.`, `/`, `~` or a drive, or is a file, is a path from `cwd` on; everything else names a package. */
export function parsePluginSpec(text: string, cwd: string): PluginSpec {
  const isWorker = text.startsWith('worker:');
  const name = isWorker ? text.slice('worker:'.length).trim() : text;
  const runs = isWorker ? 'worker' : 'here';
  const path = resolve(
    cwd,
    name.replace(/^~(?=$|[\\/])/, () => homedir()),
  );
  const isPath = /^(?:\.|\/|~|[A-Za-z]:[\\/])/.test(name) || existsSync(path);
  if (!isPath) return { runs, module: name, shown: name };
  return { runs, module: pathToFileURL(path).href, shown: basename(path) };
}
