/** Which plugin an error comes from, and from which line of it: told by the files in its stack. */
import { realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workerFile } from '../../ops/worker-file.js';
import type { PluginSpec } from './plugin-spec.js';

/** A plugin to look at, and the place in it: `<file>:<line>:<column>`. */
export interface Blame {
  readonly spec: PluginSpec;
  readonly at: string;
}

/** The place in the plugin's module, or in a file beside it, that is nearest to where the error was made. */
export function placeIn(error: unknown, spec: PluginSpec): string | undefined {
  const frames = framesOf(error);
  const [isModule, isNear] = matchersOf(spec);
  return (frames.find(isModule) ?? frames.find(isNear))?.at;
}

/** The one of these plugins that the error comes from; undefined when none or several may be meant. */
export function blameFor(error: unknown, specs: readonly PluginSpec[]): Blame | undefined {
  const frames = framesOf(error);
  for (const frame of frames) {
    const spec = specs.find((each) => matchersOf(each)[0](frame));
    if (spec !== undefined) return { spec, at: frame.at };
  }
  const near = specs.flatMap((spec) => {
    const frame = frames.find(matchersOf(spec)[1]);
    return frame === undefined ? [] : [{ spec, at: frame.at }];
  });
  return near.length === 1 ? near[0] : undefined;
}

interface Frame {
  readonly path: string;
  readonly at: string;
}

/** Lines of a stack that name a file, as `at f (file:///x.mjs:1:2)`, `at async /x.cjs:1:2` or, in front of it, `/x.mjs:1`. */
const location = /(?:^|\(|\bat (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?)((?::\d+){1,2})\)?$/;

function framesOf(error: unknown): Frame[] {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : '';
  return stack.split('\n').flatMap((line) => {
    const [, file, position] = location.exec(line) ?? [];
    const path = file === undefined ? undefined : pathOf(file);
    return path === undefined || path.startsWith(ownDirectory) ? [] : [{ path, at: `${path}${position}` }];
  });
}

type Matches = (frame: Frame) => boolean;

/** Whether a frame is the module itself; whether it belongs to it by where it lies. */
function matchersOf({ module }: PluginSpec): readonly [Matches, Matches] {
  const path = module.startsWith('file:') ? pathOf(module) : undefined;
  if (path === undefined) {
    const inside = `${sep}node_modules${sep}${module.replaceAll('/', sep)}${sep}`;
    return [(frame) => frame.path.includes(inside), () => false];
  }
  const real = realPath(path);
  const directory = `${dirname(real)}${sep}`;
  const isNear = (frame: Frame) =>
    frame.path.startsWith(directory) && !frame.path.slice(directory.length).includes(`node_modules${sep}`);
  return [(frame) => frame.path === real || frame.path === path, isNear];
}

function pathOf(file: string): string | undefined {
  try {
    return file.startsWith('file:') ? fileURLToPath(file) : file;
  } catch {
    return undefined;
  }
}

/** Stacks name the files that links lead to. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** This program may lie below a plugin's directory; its frames are no plugin's. */
const ownDirectory = fileURLToPath(new URL('../', workerFile('plugin-resolver').url));
