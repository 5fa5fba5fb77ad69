/** One row's markdown copy, brought to the newest state of the row. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DumpSettings } from '../../schema/table-schema.js';
import { LeaseLost } from '../checkpoints/checkpoints.js';
import type { RowQueries } from '../rows/queries.js';
import { dumpFileName } from './dump-path.js';
import { renderDump } from './render-dump.js';
import { replaceFile } from './write-file.js';

export interface RowTarget {
  readonly rows: Pick<RowQueries, 'get'>;
  readonly directory: string;
  readonly settings: Pick<DumpSettings, 'title_field' | 'body_field'>;
  /** @throws LeaseLost when this process may not write any more. */
  assertLeased(): void;
}

/**
 * Writes the file unless it has these bytes already. A deleted row keeps its file. What changes meanwhile comes with a later
 * batch, as long as the lease is held.
 * @throws LeaseLost, with the file at the newest state.
 */
export async function writeRow(id: string, target: RowTarget): Promise<void> {
  const row = target.rows.get(id);
  if (row === null) return;
  const path = join(target.directory, dumpFileName(id));
  const bytes = renderDump(row.data, target.settings);
  if (await holds(path, bytes)) return;
  await replaceFile(path, bytes, target.assertLeased);
  await confirm(id, path, target);
}

/**
 * A process that was stopped between the check of the lease and the rename may have put an old state over a newer one that
 * another process wrote. It finds its lease gone here, and writes what is newest now until nothing newer is there.
 */
async function confirm(id: string, path: string, target: RowTarget): Promise<void> {
  try {
    target.assertLeased();
  } catch (error) {
    if (error instanceof LeaseLost) await repair(id, path, target);
    throw error;
  }
}

async function repair(id: string, path: string, target: RowTarget): Promise<void> {
  for (let row = target.rows.get(id); row !== null; row = target.rows.get(id)) {
    const bytes = renderDump(row.data, target.settings);
    if (!(await holds(path, bytes))) await replaceFile(path, bytes, () => undefined);
    if (target.rows.get(id)?.version === row.version) return;
  }
}

async function holds(path: string, bytes: string): Promise<boolean> {
  try {
    return (await readFile(path, 'utf8')) === bytes;
  } catch {
    // Whatever is there instead shows when it is replaced.
    return false;
  }
}
