/**
 * Where a syntax error is. Node keeps the place of one in an ES module to itself until it prints the error, so that
 * another process is asked to check the files: only once there is such an error.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A module with more files of its own than this is not searched to its end. */
const mostFiles = 20;
const checkBoundMs = 2_000;

/** The same error; one of syntax begins with its place, `<file>:<line>`, as far as it can be found. */
export async function withPlace(error: unknown, module: string): Promise<unknown> {
  if (!(error instanceof Error) || error.name !== 'SyntaxError' || !module.startsWith('file:')) return error;
  const isPlaced = /^(?:file:|\/|[A-Za-z]:\\)/.test(error.stack ?? '');
  const place = isPlaced ? undefined : await placeBelow(module);
  if (place !== undefined) error.stack = `${place}\n${error.stack}`;
  return error;
}

async function placeBelow(module: string): Promise<string | undefined> {
  const files = new Set([module]);
  for (const file of files) {
    const place = await placeOf(file);
    if (place !== undefined) return place;
    for (const imported of importsOf(file)) if (files.size < mostFiles) files.add(imported);
  }
  return undefined;
}

async function placeOf(file: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(process.execPath, ['--check', fileURLToPath(file)], { timeout: checkBoundMs });
    return undefined;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    const [line] = said.split('\n');
    return line !== undefined && /:\d+$/.test(line) ? line : undefined;
  }
}

/** What a file imports of the files beside it; good enough to look there too. */
function importsOf(file: string): string[] {
  try {
    const text = readFileSync(fileURLToPath(file), 'utf8');
    const found = [...text.matchAll(/\b(?:from|import)\s*\(?\s*(['"])(\.{1,2}\/.*?)\1/g)];
    return found.map(([, , specifier = '']) => new URL(specifier, file).href);
  } catch {
    return [];
  }
}
