/** What a clone must be able to rely on: a lock that installs anywhere, one version, licences, nothing of one machine. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Lock {
  readonly version: string;
  readonly packages: Record<string, { version?: string; resolved?: string; link?: boolean }>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string; files: string[] };
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
const notOurs = new Set(['node_modules', 'dist', '.git', 'coverage', '.mini-app', join('bench', 'results')]);

test('the lock names no address to download from', () => {
  const resolved = Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined);
  expect(resolved.map(([name]) => name)).toEqual([]);
});

test('package.json and the lock agree on the version', () => {
  expect([lock.version, lock.packages['']?.version]).toEqual([manifest.version, manifest.version]);
});

test.each(['LICENSE-MIT', 'LICENSE-APACHE', 'CONTRIBUTING.md', 'CHANGELOG.md'])('%s is there', (file) => {
  expect(statSync(join(root, file)).size).toBeGreaterThan(100);
});

test('no file names a host of a package registry', () => {
  expect(filesWith(registryHost())).toEqual([]);
});

test('no file holds a path of a developer machine', () => {
  expect(filesWith(homePath)).toEqual([]);
  for (const place of [root, homedir()].filter((path) => path.split(sep).filter(Boolean).length > 1)) {
    expect(filesWith({ test: (line) => line.includes(place.replace(/[\\/]$/, '')) })).toEqual([]);
  }
});

/** Put together from parts, because this file is one of those looked at. The registry in use counts as well. */
function registryHost(): RegExp {
  const known = ['npmjs.org', 'npmjs.com', 'yarnpkg.com', 'npmmirror.com'].map((host) => `registry.${host}`);
  const own = process.env.npm_config_registry;
  const hosts = own !== undefined && URL.canParse(own) ? [...known, new URL(own).hostname] : known;
  return new RegExp(hosts.map((host) => host.replaceAll('.', '\\.')).join('|'));
}

/** A home directory of somebody: not of a placeholder in documentation. */
const homePath = /(?<![\w.])\/(?:home|Users)\/(?!me\b|you\b|user\b|alice\b|node\b|NAME\b)[\w.-]+\//;

function filesWith(pattern: Pick<RegExp, 'test'>): string[] {
  return files(root).flatMap((file) => {
    const line = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .findIndex((text) => pattern.test(text));
    return line === -1 ? [] : [`${file}:${line + 1}`];
  });
}

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = relative(root, join(folder, entry.name));
    if (notOurs.has(path) || notOurs.has(entry.name) || entry.isSymbolicLink()) return [];
    if (entry.isDirectory()) return files(join(folder, entry.name));
    return existsSync(join(root, path)) ? [path] : [];
  });
}
