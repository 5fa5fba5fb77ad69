/**
 * Where markdown copies go. In project scope `dump.dir` comes with a cloned repository, so it is confined to that
 * repository after links are resolved; file names come from row ids only, never from what a row says.
 */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { StoreError } from '../../errors.js';
import type { TableSchema } from '../../schema/table-schema.js';

export interface DumpPlace {
  readonly schema: Pick<TableSchema, 'table' | 'dump'>;
  readonly scope: 'user' | 'project' | 'legacy';
  /** The project directory (`.mini-app`) in project scope. */
  readonly scopeRoot: string;
  /** What relative directories are relative to: the process's working directory. */
  readonly cwd: string;
}

/** The absolute directory, not checked: `dump.dir`, or `<cwd>/.mini-app/<table>`. `~` is not expanded. */
export function dumpDirectory(place: DumpPlace): string {
  const configured = place.schema.dump?.dir ?? null;
  return configured === null ? resolve(place.cwd, '.mini-app', place.schema.table) : resolve(place.cwd, configured);
}

/**
 * Refuses a directory outside of the project. To be asked before every batch: a link may have changed meanwhile.
 * @throws StoreError SCHEMA_ERROR with field `dump.dir` (project scope only).
 */
export async function assertDumpDirectory(place: DumpPlace): Promise<void> {
  if (place.scope !== 'project') return;
  const target = await resolveLinks(dumpDirectory(place));
  for (const root of allowedRoots(place)) {
    if (isInside(target, await resolveLinks(root))) return;
  }
  throw new StoreError(
    'SCHEMA_ERROR',
    { detail: 'dump.dir leads outside of the project directory', field: 'dump.dir' },
    {
      hint: 'Choose a dump.dir inside the project that does not pass through a link leading out of it, then call reload.',
    },
  );
}

/** `<id>.md`, with everything that is not safe in a file name on some system percent-encoded. Different ids, different names. */
export function dumpFileName(id: string): string {
  const encoded = Array.from(id, encodeCharacter).join('');
  if (encoded === '') return '%.md';
  if (encoded.length > 200) return `${encoded.slice(0, 120)}~${sha256(id)}.md`;
  return `${/^(\.|(con|prn|aux|nul|com\d|lpt\d)(\.|$))/i.test(encoded) ? encodeFirst(encoded) : encoded}.md`;
}

/** The repository is what holds the project directory. A project directory that is a link is the operator's own choice. */
function allowedRoots(place: DumpPlace): string[] {
  const roots = [dirname(resolve(place.scopeRoot)), resolve(place.scopeRoot)];
  return place.schema.dump?.dir == null ? [...roots, resolve(place.cwd)] : roots;
}

/** The real path of the nearest ancestor that exists, with the rest appended. */
async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path || !isMissing(error)) throw error;
    return resolve(await resolveLinks(parent), relative(parent, path));
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function encodeCharacter(character: string): string {
  return /^[A-Za-z0-9._-]$/.test(character) ? character : percent(character);
}

function encodeFirst(name: string): string {
  return percent(name.slice(0, 1)) + name.slice(1);
}

function percent(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
