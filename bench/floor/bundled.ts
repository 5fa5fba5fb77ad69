import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../scripts/bundle-options.mjs';

const outdir = fileURLToPath(new URL('../results/build', import.meta.url));
const builds = new Map<string, Promise<string>>();

/** Bundles a source file of `bench/floor` as the product is bundled, once per run. @returns the path of the result. */
export function bundled(file: string): Promise<string> {
  const made = builds.get(file) ?? bundle(file);
  builds.set(file, made);
  return made;
}

async function bundle(file: string): Promise<string> {
  const name = basename(file, '.ts');
  await build(bundleOptions({ [name]: fileURLToPath(new URL(file, import.meta.url)) }, outdir));
  return join(outdir, `${name}.js`);
}
