/**
 * Names of backups and snapshots: `<table>.<unix_secs>.<kind>` (storage.md §15). A backup is a generation of two kinds
 * (`yaml`, `db`), a snapshot one of one (`db`); both of a generation have the same second.
 */
import { link, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export type Kind = 'yaml' | 'db';

/** A finished file waiting for its name; it stands in the same directory. */
export interface Draft {
  readonly path: string;
  readonly kind: Kind;
}

export function generationPath(directory: string, table: string, second: bigint | number, kind: Kind): string {
  return join(directory, `${table}.${second}.${kind}`);
}

/**
 * The generations that have a file of this kind, newest first by number.
 * @returns an empty list for a directory that is not there.
 */
export async function listGenerations(directory: string, table: string, kind: Kind): Promise<bigint[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((name) => secondOf(name, table, kind) ?? []).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
}

/**
 * Gives the drafts their names: all the same second, the first from `now` (Unix seconds) on at which none of them is taken.
 * Nothing is ever overwritten, also when several processes do this at once.
 */
export async function publish(
  directory: string,
  table: string,
  now: number,
  drafts: readonly Draft[],
): Promise<number> {
  for (let second = now; ; second++) {
    const named: string[] = [];
    for (const { path, kind } of drafts) {
      const target = generationPath(directory, table, second, kind);
      if (!(await moveNew(path, target))) break;
      named.push(target);
    }
    if (named.length === drafts.length) return second;
    await Promise.all(drafts.slice(0, named.length).map(({ path }, index) => rename(named[index] ?? path, path)));
  }
}

/** Moves a file unless the target exists. */
async function moveNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    return await moveWithoutLinks(from, to);
  }
  await rm(from);
  return true;
}

/** For file systems without hard links; two processes in the same second could meet between the two steps. */
async function moveWithoutLinks(from: string, to: string): Promise<boolean> {
  const taken = await stat(to).then(
    () => true,
    (error: unknown) => !hasCode(error, 'ENOENT'),
  );
  if (!taken) await rename(from, to);
  return !taken;
}

/** Only names of exactly this shape, with an unsigned 64-bit number as the predecessor has it. */
function secondOf(name: string, table: string, kind: Kind): bigint | null {
  if (!name.startsWith(`${table}.`) || !name.endsWith(`.${kind}`)) return null;
  const digits = name.slice(table.length + 1, -(kind.length + 1));
  if (!/^(0|[1-9]\d{0,19})$/.test(digits)) return null;
  const second = BigInt(digits);
  return second < 1n << 64n ? second : null;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
