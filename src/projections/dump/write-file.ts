/**
 * Writing a file so that a reader sees the old bytes or the new ones, never a part: a temporary file in the same directory,
 * then a rename. Not synced to the disk: after a power cut the follower's checkpoint is as old as the file.
 */
import { createHash, randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../checkpoints/lease-owner.js';

/** How long a rename onto a file that somebody holds open is tried again. */
const renameMs = 2_000;
/** A file held by an editor or a virus scanner (Windows). */
const held = new Set(['EPERM', 'EBUSY', 'EACCES']);
/** Short, so that it never makes a name too long; names the process, so that leftovers of a dead one can be told. */
const prefix = `.mini-app-${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}-`;

/**
 * Replaces the file, or creates it. `beforeRename` is called right before each try of the rename, in the same turn of the
 * event loop; it throws to give up.
 * @throws what the file system throws; EPERM, EBUSY and EACCES of the rename only after 2 s of trying.
 */
export async function replaceFile(path: string, bytes: string, beforeRename: () => void): Promise<void> {
  const temporary = join(dirname(path), `${prefix}${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx' });
    await rename(temporary, path, beforeRename);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function rename(from: string, to: string, beforeRename: () => void): Promise<void> {
  const deadline = Date.now() + renameMs;
  for (let wait = 10; ; wait = Math.min(200, wait * 2)) {
    beforeRename();
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!isHeld(error) || Date.now() >= deadline) throw error;
      await sleep(wait);
    }
  }
}

function isHeld(error: unknown): boolean {
  return error instanceof Error && 'code' in error && held.has(String(error.code));
}

/** Removes temporary files that processes of this host left behind when they died. Never fails: it is only tidying. */
export async function removeLeftovers(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    if (isLeftover(name)) await rm(join(directory, name), { force: true }).catch(() => undefined);
  }
}

function isLeftover(name: string): boolean {
  if (!name.startsWith(prefix) || !name.endsWith('.tmp')) return false;
  const pid = Number(/^\d+/.exec(name.slice(prefix.length))?.[0]);
  return Number.isInteger(pid) && !isAlive(pid);
}
