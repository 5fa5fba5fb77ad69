/** Filling a table of the product by hand: much sooner than through its ops, and of the same shape on disk. */
import Database from 'better-sqlite3';
import { TableDatabase } from '../../src/tables/table-database.js';
import { databaseIn, databaseOptions } from '../product.js';

export interface BulkEvent {
  readonly rowId: string;
  readonly version: number;
  readonly body: string;
}

export interface BulkRow {
  readonly id: string;
  readonly data: string;
  /** Unix seconds. */
  readonly at: number;
  readonly version: number;
}

/** The writers of one load; everything else of an event is the same for all, and its hashes are zeros. */
export interface BulkLoad {
  event(event: BulkEvent): void;
  row(row: BulkRow): void;
  history(entry: BulkRow): void;
  /** Puts the indexes back, which are made after what was loaded before: sooner, but with pages as full as they can be. */
  index(): void;
}

const origin = JSON.stringify({ tool: 'create', client: 'bench' });

/** Makes `issues` in a laid out directory and fills it in one transaction, without waiting for the disk. */
export async function bulkLoad(directory: string, fill: (load: BulkLoad) => void): Promise<void> {
  const path = databaseIn(directory);
  await TableDatabase.open(databaseOptions(path)).close();
  const database = new Database(path);
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -1000000');
  database.transaction(() => {
    const load = writers(database);
    fill(load);
    load.index();
  })();
  database.pragma('journal_mode = WAL');
  database.close();
}

function writers(database: Database.Database): BulkLoad {
  const indexes = dropIndexes(database);
  const event = database.prepare(
    `INSERT INTO _events (seq, commit_no, row_id, row_version, type, event_version, body, actor, origin, at_ms, prev_hash, hash)
     VALUES (?, ?, ?, ?, ?, 1, ?, 'bench', ?, 1790000000000, zeroblob(32), zeroblob(32))`,
  );
  const row = database.prepare('INSERT INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, ?, ?, ?)');
  const history = database.prepare(
    `INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json)
     VALUES ('issues', ?, ?, ?, 'create', ?)`,
  );
  let sequence = 0;
  return {
    event({ rowId, version, body }) {
      sequence++;
      event.run(sequence, sequence, rowId, version, version === 1 ? 'row.created' : 'row.updated', body, origin);
    },
    row: ({ id, data, at, version }) => void row.run(id, data, at, at, version),
    history: ({ id, data, at, version }) => void history.run(id, version, at, data),
    index: () => {
      for (const sql of indexes.splice(0)) database.exec(sql);
    },
  };
}

function dropIndexes(database: Database.Database): string[] {
  const indexes = database
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
    )
    .all();
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  return indexes.map(({ sql }) => sql);
}
