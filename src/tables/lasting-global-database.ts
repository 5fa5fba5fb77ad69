/** `_global.db` for the life of a process: always the file at its path, also when a backup is put in its place meanwhile. */
import { existsSync } from 'node:fs';
import { GlobalDatabase, globalPath } from './global-database.js';

export interface LastingGlobalDatabaseOptions {
  readonly directory: string;
  readonly now: () => number;
  /** Told when another file has taken the place of the one that was open, before anybody reads it. */
  readonly onReplaced: () => void;
  /** Told when the one that was open cannot be closed. */
  readonly onError: (error: unknown) => void;
}

export class LastingGlobalDatabase {
  #opened: GlobalDatabase | null = null;

  constructor(private readonly options: LastingGlobalDatabaseOptions) {}

  /** Makes the file if need be. @throws StoreError STORAGE_ERROR, TABLE_READ_ONLY. */
  open(): GlobalDatabase {
    const before = this.#opened;
    if (before?.hasMoved() === false) return before;
    const { directory, now, onReplaced, onError } = this.options;
    const database = GlobalDatabase.open(directory, 'user', now);
    this.#opened = database;
    if (before !== null) {
      before.close().catch(onError);
      onReplaced();
    }
    return database;
  }

  /**
   * The same; null while there was a file and it is gone. None is made then: whoever removed it may be about to put another
   * one there, and would write into ours. @throws as {@link open}.
   */
  present(): GlobalDatabase | null {
    const { directory } = this.options;
    const isGone = this.#opened?.hasMoved() === true && !existsSync(globalPath(directory));
    return isGone ? null : this.open();
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }
}
