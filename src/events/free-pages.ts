/**
 * Giving pages that nothing uses any more back to the file system. Files are made without `auto_vacuum`: its pointer pages
 * are written with every commit that takes a new page, an eighth of what a single change costs (docs/benchmarks.md).
 */
import type { Connection } from './database.js';

/** Some 40 MB, a few tens of milliseconds. */
const pagesAtOnce = 10_000;
/** What is rewritten while a process ends may hold this many bytes, and is worth it from these many free pages on. */
const quickBytes = 16 * 1024 * 1024;
const worthwhile = { pages: 256, share: 0.25 };

/** All of them, however long it takes. @throws SqliteError SQLITE_BUSY while another process is writing. */
export function giveBackFreePages(connection: Connection): void {
  if (count(connection, 'freelist_count') === 0) return;
  if (isIncremental(connection)) connection.pragma('incremental_vacuum');
  else connection.exec('VACUUM');
}

/** As many as a closing process has time for. @throws SqliteError SQLITE_BUSY while another process is writing. */
export function giveBackFreePagesQuickly(connection: Connection): void {
  if (isIncremental(connection)) {
    connection.pragma(`incremental_vacuum(${pagesAtOnce})`);
    return;
  }
  const [free, pages] = [count(connection, 'freelist_count'), count(connection, 'page_count')];
  const usedBytes = (pages - free) * count(connection, 'page_size');
  if (free >= worthwhile.pages && free >= pages * worthwhile.share && usedBytes <= quickBytes)
    connection.exec('VACUUM');
}

/** A file that was made with `auto_vacuum`. */
function isIncremental(connection: Connection): boolean {
  return count(connection, 'auto_vacuum') === 2;
}

function count(connection: Connection, pragma: string): number {
  return Number(connection.pragma(pragma, { simple: true }));
}
