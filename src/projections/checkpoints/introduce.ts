/** A follower's checkpoint before its first event. */
import type { Connection } from '../../events/database.js';

/**
 * Gives a checkpoint that does not exist yet its position, at once; one that exists stays as it is. Synchronous: SQLite's
 * busy error is the caller's to repeat.
 */
export function introduceCheckpoint(connection: Connection, name: string, version: number, position: number): void {
  if (connection.prepare('SELECT 1 FROM _checkpoints WHERE name = ?').get(name) !== undefined) return;
  connection
    .prepare('INSERT OR IGNORE INTO _checkpoints (name, version, position, updated_at) VALUES (?, ?, ?, ?)')
    .run(name, version, position, Date.now());
}
