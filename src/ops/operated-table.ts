/**
 * What the operator's ops work on: a table's file and how to open it. Each op opens connections of its own, as one more
 * process would, so that a server that runs it goes on reading and writing.
 */
import type { TableSchema } from '../schema/table-schema.js';
import { TableDatabase, type TableDatabaseOptions } from '../tables/table-database.js';

export interface OperatedTable {
  readonly name: string;
  readonly schema: TableSchema;
  readonly database: TableDatabaseOptions;
}

/** How far a long op is; `total` is the best estimate at the moment. */
export interface WorkProgress {
  readonly done: number;
  readonly total: number;
}

export interface WorkOptions {
  /** Stops the op between two steps; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
}

/** Opens the table's database for one op and closes it afterwards. @throws StoreError STORAGE_ERROR, TABLE_READ_ONLY. */
export async function withDatabase<T>(table: OperatedTable, run: (database: TableDatabase) => Promise<T>): Promise<T> {
  const database = TableDatabase.open(table.database);
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}
