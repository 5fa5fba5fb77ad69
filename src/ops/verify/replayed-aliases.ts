/** A table's own aliases (of legacy mode) once more, from its log; those that the log does not tell stay as they are. */
import { upcast } from '../../events/catalogue.js';
import type { Connection } from '../../events/database.js';
import type { StoredEvent } from '../../events/types.js';
import { copyAliasesNotInLog } from '../../projections/aliases/not-in-log.js';
import { AliasesProjection } from '../../projections/aliases/project.js';
import { tableAliases } from '../../projections/aliases/queries.js';
import type { Checks } from './checks.js';
import { ReplayedCopy } from './replayed-copy.js';

export class ReplayedAliases {
  readonly #copy: ReplayedCopy;
  readonly #projection: AliasesProjection;

  constructor(connection: Connection) {
    this.#copy = new ReplayedCopy(connection, { check: 'aliases', live: tableAliases.table, key: 'name' });
    copyAliasesNotInLog(connection, connection, this.#copy.table);
    this.#projection = new AliasesProjection(connection, { ...tableAliases, table: this.#copy.table });
  }

  apply(event: StoredEvent): void {
    this.#projection.applyTableEvent(upcast(event));
  }

  compare(checks: Checks): void {
    this.#copy.compare(checks);
  }
}
