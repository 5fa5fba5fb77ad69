/** One entry of MINI_APP_PLUGINS: `[worker:]<path or package>`. */
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface PluginSpec {
  /** The entry as it was given. */
  readonly typed: string;
  /** In this thread, or in a worker of its own. */
  readonly runs: 'here' | 'worker';
  /** What to import: a file URL, or the name of a package. */
  readonly module: string;
  /** The same in short, without directories, for messages. */
  readonly shown: string;
}

/**
 * What begins with `.`, `/`, `~` or a drive is a path from `cwd` on; everything else names a package that is installed with
 * the server: what lies in the working directory must not take the place of what was meant (P-37).
 */
export function parsePluginSpec(text: string, cwd: string): PluginSpec {
  const isWorker = text.startsWith('worker:');
  const name = isWorker ? text.slice('worker:'.length).trim() : text;
  const runs = isWorker ? 'worker' : 'here';
  const path = resolve(
    cwd,
    name.replace(/^~(?=$|[\\/])/, () => homedir()),
  );
  const isPath = /^(?:\.|\/|~|[A-Za-z]:[\\/])/.test(name);
  if (!isPath) return { typed: text, runs, module: name, shown: name };
  return { typed: text, runs, module: pathToFileURL(path).href, shown: basename(path) };
}
