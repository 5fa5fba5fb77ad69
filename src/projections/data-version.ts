/** How a process hears of commits that other processes made: they send no signal, but SQLite counts them. */
import type { Database } from 'better-sqlite3';
import { defer, filter, map, type Observable } from 'rxjs';
import { unrefInterval } from './unref-timer.js';

/**
 * Emits when another connection has committed since the last look, every `intervalMs` at most. Commits of `database`
 * itself do not count. A look that fails (busy, closed) is left out: the next one sees the change.
 */
export function dataVersion$(database: Database, intervalMs = 250): Observable<void> {
  return defer(() => {
    let seen = readDataVersion(database);
    return unrefInterval(intervalMs).pipe(
      map(() => readDataVersion(database)),
      filter((version) => version !== null && version !== seen),
      map((version) => {
        seen = version;
      }),
    );
  });
}

function readDataVersion(database: Database): number | null {
  if (!database.open) return null;
  try {
    return Number(database.pragma('data_version', { simple: true }));
  } catch {
    return null;
  }
}
