/** Who rebuilds, and how far: one row of `_checkpoints`, moved in the same transaction as the shadow tables. */
import { StoreError } from '../../errors.js';
import type { Connection } from '../../events/database.js';
import { isDeadOwner, newOwner } from '../../projections/checkpoints/lease-owner.js';

const name = 'rebuild';
/** Raised when shadow tables of an older version can no longer be gone on with. */
const version = 1;
const leaseMs = 30_000;

interface Row {
  version: number;
  position: number;
  owner: string | null;
  lease_until: number;
}

export class RebuildLease {
  readonly #owner = newOwner();
  readonly #read;
  readonly #put;
  readonly #move;
  readonly #release;
  readonly #remove;

  constructor(
    connection: Connection,
    private readonly now: () => number,
  ) {
    this.#read = connection.prepare<[], Row>(
      `SELECT version, position, owner, lease_until FROM _checkpoints WHERE name = '${name}'`,
    );
    this.#put = connection.prepare(
      `INSERT OR REPLACE INTO _checkpoints (name, version, position, owner, lease_until, updated_at)
       VALUES ('${name}', ${version}, ?, ?, ?, ?)`,
    );
    const mine = `WHERE name = '${name}' AND owner = ?`;
    this.#move = connection.prepare(`UPDATE _checkpoints SET position = ?, lease_until = ?, updated_at = ? ${mine}`);
    this.#release = connection.prepare(`UPDATE _checkpoints SET owner = NULL, lease_until = 0 ${mine}`);
    this.#remove = connection.prepare(`DELETE FROM _checkpoints ${mine}`);
  }

  /**
   * Takes the lease inside the open transaction. Returns where an interrupted rebuild stopped, or null to begin anew.
   * @throws StoreError BUSY while another process rebuilds.
   */
  acquire(): number | null {
    const row = this.#read.get();
    const now = this.now();
    const isTaken = row?.owner != null && row.lease_until > now && !isDeadOwner(row.owner);
    if (isTaken)
      throw new StoreError('BUSY', { retry_after_ms: 1000 }, { hint: 'Another process rebuilds this table.' });
    const position = row?.version === version ? row.position : null;
    this.#put.run(position ?? 0, this.#owner, now + leaseMs, now);
    return position;
  }

  /** Moves the position inside the open transaction. @throws StoreError BUSY when another process took the lease over. */
  advance(position: number): void {
    const now = this.now();
    const { changes } = this.#move.run(position, now + leaseMs, now, this.#owner);
    if (changes === 0)
      throw new StoreError('BUSY', { retry_after_ms: 1000 }, { hint: 'Another process took the rebuild over.' });
  }

  /** Lets the next rebuild go on from here. */
  release(): void {
    this.#release.run(this.#owner);
  }

  /** Ends the rebuild for good. */
  remove(): void {
    this.#remove.run(this.#owner);
  }
}
