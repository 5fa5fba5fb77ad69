import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { bundleOptions } from '../scripts/bundle-options.mjs';
import { version } from '../src/version.js';
import { tempDir } from './helpers/temp-dir.js';

const root = fileURLToPath(new URL('..', import.meta.url));

test('a bundle runs on its own and holds back what it does not need at start', async () => {
  const directory = tempDir();
  const entry = join(directory, 'entry.ts');
  writeFileSync(
    entry,
    `#!/usr/bin/env node
    import { version } from ${JSON.stringify(join(root, 'src/version.js'))};
    console.log(version);
    const { Document } = await import('yaml');
    console.log(String(new Document({ a: 1 })).trim());
    export const native = () => import('better-sqlite3');`,
  );
  const options = bundleOptions({ main: entry }, join(directory, 'dist'));
  await build({ ...options, nodePaths: [join(root, 'node_modules')] });
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');

  const main = readFileSync(join(directory, 'dist/main.js'), 'utf8');
  expect(main).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(main).toContain('import("better-sqlite3")');
  expect(main).not.toContain('devDependencies');
  expect(main.length).toBeLessThan(5_000);
  expect(readdirSync(join(directory, 'dist/chunks')).length).toBeGreaterThan(0);
  const output = execFileSync(process.execPath, [join(directory, 'dist/main.js')], { encoding: 'utf8' });
  expect(output).toBe(`${version}\na: 1\n`);
});
