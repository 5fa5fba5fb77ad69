/**
 * Builds `dist`: the command and the plugin author's surface as ES modules that load heavy parts at first
 * use, each worker as a file of its own, and the declarations of what can be imported.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from './bundle-options.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');

const started = performance.now();
rmSync(dist, { recursive: true, force: true });
const entries = { ...sources(['main', 'plugin']), ...workers() };
if (Object.keys(entries).length > 0) await build(bundleOptions(entries, dist));
makeExecutable(join(dist, 'main.js'));
declareTypes(['plugin']);
console.log(`built ${Object.keys(entries).join(', ') || 'nothing'} in ${Math.round(performance.now() - started)} ms`);

function sources(names) {
  const present = names.filter((name) => existsSync(join(src, `${name}.ts`)));
  return Object.fromEntries(present.map((name) => [name, join(src, `${name}.ts`)]));
}

function workers() {
  const folder = join(src, 'workers');
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  return Object.fromEntries(files.map((file) => [`workers/${basename(file, '.ts')}`, join(folder, file)]));
}

function makeExecutable(file) {
  if (!existsSync(file)) return;
  if (!readFileSync(file, 'utf8').startsWith('#!')) throw new Error('src/main.ts must start with #!/usr/bin/env node');
  chmodSync(file, 0o755);
}

function declareTypes(names) {
  if (Object.keys(sources(names)).length === 0) return;
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
}
