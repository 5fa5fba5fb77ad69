/** A batch under way, inside its transaction: the table's schema as the ops so far left it, and what they changed. */
import { StoreError } from '../../errors.js';
import type { CommandTransaction } from '../../events/event-log.js';
import type { RecordedEvent } from '../../events/types.js';
import type { RowQueries } from '../../projections/rows/queries.js';
import type { TableSchema } from '../../schema/table-schema.js';
import { schemaChanged } from '../../tables/schema-changed.js';
import { changeSchemaFile, readIfThere, type WrittenSchemaFile } from '../../tables/schema-file.js';
import type { Table } from '../../tables/table.js';
import type { Store } from '../store.js';
import { schemaIn, type TableTarget } from './table-target.js';

/** What an op answers with, and what a dry run says of it. */
export interface OpOutcome {
  readonly result: Readonly<Record<string, unknown>> & { readonly op: string };
  readonly affects: Readonly<Record<string, unknown>>;
  /** Rows that a `replace` removed and added. */
  readonly replaced?: { readonly deleted: number; readonly inserted: number };
}

export interface WorkParts {
  readonly tx: CommandTransaction;
  readonly store: Store;
  readonly target: TableTarget;
  /** The table that is written: that of the target, or one for a rehearsal. */
  readonly table: Table;
  /** Whether schema.yaml is read anew, because an op may change it. */
  readonly withSchema: boolean;
  readonly dryRun: boolean;
}

export class TableWork {
  readonly tx: CommandTransaction;
  readonly rows: RowQueries;
  readonly store: Store;
  readonly target: TableTarget;
  readonly dryRun: boolean;
  /** The database that is written. */
  readonly path: string;
  #text: string | null;
  #schema: TableSchema | null;
  #changed: RecordedEvent | null = null;
  readonly #textBefore: string | null;

  constructor(parts: WorkParts) {
    this.tx = parts.tx;
    this.store = parts.store;
    this.target = parts.target;
    this.dryRun = parts.dryRun;
    this.path = parts.table.databasePath;
    this.rows = parts.table.open().rows;
    // Under the write lock nobody else changes the file.
    this.#textBefore = parts.withSchema ? readIfThere(parts.target.schemaPath) : null;
    this.#text = this.#textBefore;
    this.#schema = parts.withSchema ? schemaIn(this.#text) : parts.table.schema;
  }

  /** The text of schema.yaml now; null when there is none. */
  get text(): string | null {
    return this.#text;
  }

  get schema(): TableSchema | null {
    return this.#schema;
  }

  /** @throws StoreError TABLE_NOT_FOUND when the table does not exist at this point of the batch. */
  requireSchema(): TableSchema {
    if (this.#schema !== null) return this.#schema;
    throw new StoreError('TABLE_NOT_FOUND', { table: this.target.name });
  }

  change(text: string | null, schema: TableSchema | null): void {
    this.#changed = this.tx.append(schemaChanged({ before: this.#text, after: text, scope: this.target.scope }));
    this.#text = text;
    this.#schema = schema;
  }

  /** Replaces schema.yaml when an op changed it, until the transaction is rolled back. @throws StoreError IO_ERROR. */
  writeFile(): WrittenSchemaFile | null {
    if (this.#changed === null || this.#text === this.#textBefore) return null;
    const { seq, body } = this.#changed;
    const written = changeSchemaFile({
      path: this.target.schemaPath,
      before: this.#textBefore,
      after: this.#text,
      event: { seq, body },
    });
    this.tx.onRollback(() => written.undo());
    return written;
  }
}
