/** Whether other connections, of this process or another, have committed: SQLite counts that for each connection. */
import type { Connection } from './database.js';

export class OtherCommits {
  readonly #version;
  #seen: number | undefined;

  constructor(connection: Connection) {
    this.#version = connection.prepare<[], number>('PRAGMA data_version').pluck();
  }

  /** Whether there was any since the last look. Under the write lock the answer holds until the lock is given up. */
  hadAny(): boolean {
    const version = this.#version.get();
    const had = version !== this.#seen;
    this.#seen = version;
    return had;
  }
}
