/** Events to aliases: the one writer of `_aliases` and `_global_aliases`. */
import { type AliasColumns, aliasShape } from '../../events/alias-body.js';
import type { Connection } from '../../events/database.js';
import type { InlineProjection } from '../../events/inline-projection.js';
import type { RecordedEvent } from '../../events/types.js';
import type { AliasLayout } from './queries.js';

export class AliasesProjection implements InlineProjection {
  readonly #put;
  readonly #remove;
  readonly #kept: readonly (keyof AliasColumns)[];

  constructor(connection: Connection, { table, columns }: AliasLayout) {
    this.#kept = aliasShape.keyof().options.filter((key) => columns[key] !== null);
    const names = this.#kept.map((key) => columns[key]);
    const places = names.map(() => '?');
    // One that is migrated may be in its place already.
    this.#put = connection.prepare(
      `INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
    );
    this.#remove = connection.prepare<[string]>(`DELETE FROM ${table} WHERE name = ?`);
  }

  apply(): void {
    // Aliases do not depend on rows.
  }

  applyTableEvent(event: RecordedEvent): void {
    switch (event.type) {
      case 'alias.created':
      case 'alias.migrated':
        this.#store(JSON.parse(event.body) as AliasColumns);
        return;
      case 'alias.deleted':
        this.#remove.run((JSON.parse(event.body) as Pick<AliasColumns, 'name'>).name);
    }
  }

  #store(alias: AliasColumns): void {
    this.#put.run(...this.#kept.map((key) => alias[key]));
  }
}
