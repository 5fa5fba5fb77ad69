/** One entry of MINI_APP_PLUGINS: `[worker:]<path or package>`. */
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

/** Paths begin with `.`, `/`, `~` or a drive; everything else names a package. Relative ones start at `cwd`. */
export function parsePluginSpec(text: string, cwd: string): PluginSpec {
  const isWorker = text.startsWith('worker:');
  const name = isWorker ? text.slice('worker:'.length).trim() : text;
  const runs = isWorker ? 'worker' : 'here';
  if (!/^(?:\.|\/|~|[A-Za-z]:[\\/])/.test(name)) return { runs, module: name, shown: name };
  const path = resolve(
    cwd,
    name.replace(/^~(?=$|[\\/])/, () => homedir()),
  );
  return { runs, module: pathToFileURL(path).href, shown: basename(path) };
}
