/** Events to `rows`: the one writer of that table. Live and in a rebuild (there into a shadow table) the same code. */
import type { Connection } from '../../events/database.js';
import type { RowChange } from '../../events/evolve.js';
import type { InlineProjection } from '../../events/inline-projection.js';
import type { RowState } from '../../events/types.js';

export class RowsProjection implements InlineProjection {
  readonly #insert;
  readonly #put;
  readonly #leave;
  readonly #remove;

  /** @param target the table to write, a name of our own making. */
  constructor(connection: Connection, target = 'rows') {
    const insert = `INSERT INTO ${target} (id, data, created_at, updated_at, version) VALUES (?, ?, ?, ?, ?)`;
    this.#insert = connection.prepare(insert);
    // An import finds its row in place; only a version that differs is written.
    this.#put = connection.prepare(`${insert} ON CONFLICT (id) DO UPDATE SET data = excluded.data,
      created_at = excluded.created_at, updated_at = excluded.updated_at, version = excluded.version
      WHERE version <> excluded.version`);
    // A negative version tells the trigger that notes foreign deletes that this one is ours.
    this.#leave = connection.prepare(`UPDATE ${target} SET version = -1 - version WHERE id = ?`);
    this.#remove = connection.prepare(`DELETE FROM ${target} WHERE id = ?`);
  }

  apply({ event, before, after }: RowChange): void {
    if (after !== null && event.type === 'row.created') this.#write(this.#insert, after);
    else if (after !== null && event.type === 'row.reconciled') this.#writeAnew(after);
    else if (after !== null) this.#write(this.#put, after);
    else if (before !== null) this.#delete(before.id);
  }

  /** Somebody may have given the row any place among the others; its event gives it the one that a replay finds. */
  #writeAnew(row: RowState): void {
    this.#delete(row.id);
    this.#write(this.#insert, row);
  }

  #delete(id: string): void {
    this.#leave.run(id);
    this.#remove.run(id);
  }

  #write(statement: { run(...values: unknown[]): unknown }, row: RowState): void {
    statement.run(row.id, row.data, row.createdAt, row.updatedAt, row.version);
  }
}
