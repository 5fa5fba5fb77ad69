/** A table of the registry: its definition from schema.yaml, its database from the first use on. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DefinedTable } from './defined-table.js';
import type { MountContext } from './mount-context.js';
import { OpenedTable } from './opened-table.js';
import { readIfThere } from './schema-file.js';
import type { OpenTable, Table, TableDefinition } from './table.js';

/** Calls that arrive together share one look. A write looks once more under the lock, where it is exact. */
const lookAgainAfterMs = 1;

export class MountedTable extends DefinedTable implements Table {
  #opened: OpenedTable | null = null;
  /** When it was last looked for another process's schema; of the clock that only runs forward, in milliseconds. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    definition: TableDefinition,
    private readonly context: MountContext,
    /** Whether a scope that comes before this table's has one of its name by now. */
    private readonly isOverridden: () => boolean = () => false,
  ) {
    super(definition);
  }

  get opened(): OpenTable | null {
    return this.#opened;
  }

  open(): OpenedTable {
    this.#opened ??= new OpenedTable(this, this.context);
    return this.#opened;
  }

  /** Whether a definition found again is this very table, so that it can stay open. */
  isSameAs(definition: TableDefinition): boolean {
    return (
      this.#opened?.database.hasMoved() !== true &&
      this.name === definition.name &&
      this.scope === definition.scope &&
      this.schemaPath === definition.schemaPath &&
      this.databasePath === definition.databasePath &&
      this.schemaText === definition.schemaText
    );
  }

  /** As {@link OpenTable.hasNewSchema}; also when its directory is gone or another table takes its place. Opens a table whose schema.yaml has changed. */
  hasNewSchema(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt < lookAgainAfterMs) return false;
    const isNew = this.#lookForNewSchema();
    if (!isNew) this.#lookedAt = now;
    return isNew;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await opened?.close();
  }

  #lookForNewSchema(): boolean {
    // In legacy mode there is nothing else that could be served.
    if (this.scope !== 'legacy' && !existsSync(dirname(this.schemaPath))) return true;
    if (this.isOverridden()) return true;
    if (this.#opened !== null) return this.#opened.hasNewSchema();
    if (readIfThere(this.schemaPath) === this.schemaText || !existsSync(this.databasePath)) return false;
    return this.open().hasNewSchema();
  }
}
