/** A script bundled once, so that many processes of it start quickly. */
import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { newDir, removeDir } from './temp-dir.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface BundledScript {
  readonly path: string;
  remove(): void;
}

/** @param script a path in the project. The bundle stands in a directory of its own that sees the project's packages. */
export async function bundleScript(script: string): Promise<BundledScript> {
  const name = basename(script, '.ts');
  const directory = newDir();
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  await build(bundleOptions({ [name]: join(root, script) }, directory));
  return { path: join(directory, `${name}.js`), remove: () => removeDir(directory) };
}
