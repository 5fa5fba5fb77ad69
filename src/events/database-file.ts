/** Whether a database is still the file at its path. In WAL mode SQLite does not look, and would go on writing. */
import { statSync } from 'node:fs';
import type { Connection } from './database.js';

/** The file that a connection was opened on. */
export class DatabaseFile {
  readonly #inode: bigint | null;

  constructor(private readonly connection: Connection) {
    this.#inode = this.#inodeAtPath();
  }

  /** True when the file was deleted or moved, or another one lies in its place: what is written then is lost. */
  hasMoved(): boolean {
    return this.#inode !== null && this.#inodeAtPath() !== this.#inode;
  }

  #inodeAtPath(): bigint | null {
    if (this.connection.memory) return null;
    try {
      return statSync(this.connection.name, { bigint: true }).ino;
    } catch {
      return null;
    }
  }
}
