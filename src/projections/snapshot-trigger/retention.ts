/** How many generations of a table's backups or snapshots are kept (storage.md §15). */
import { rm } from 'node:fs/promises';
import { generationPath, type Kind, listGenerations } from './generations.js';

export interface Purged {
  /** Generations of which every file is gone. */
  readonly removed: number;
  /** What could not be removed, and stays for the next time. */
  readonly failures: readonly unknown[];
}

/**
 * Removes all but the newest `keep` generations (at least 1). A generation is known by its first kind: a lone `.db` beside
 * backups is never removed, and backups and snapshots never touch each other's files.
 * A directory that is not there stays away.
 */
export async function purgeGenerations(
  directory: string,
  table: string,
  kinds: readonly [Kind, ...Kind[]],
  keep: number,
): Promise<Purged> {
  const surplus = (await listGenerations(directory, table, kinds[0])).slice(Math.max(1, keep));
  const failures: unknown[] = [];
  let removed = 0;
  for (const second of surplus) {
    try {
      // The first kind last: what is left of a removal that failed is found again.
      for (const kind of [...kinds].reverse())
        await rm(generationPath(directory, table, second, kind), { force: true });
      removed++;
    } catch (error) {
      failures.push(error);
    }
  }
  return { removed, failures };
}
