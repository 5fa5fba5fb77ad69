/**
 * The least that a change can cost: better-sqlite3 by hand, the tables of the product without their triggers, and for
 * each operation one `_events`, one `rows` and one `_row_history` row of a usual size. No queue, no hashing, no checks.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { migrations } from '../../src/events/migrations.js';
import { idOf } from '../data/ids.js';

export interface FloorOptions {
  readonly operations: number;
  /** Operations that share one transaction. */
  readonly perTransaction: number;
  /** FULL is what the product promises; OFF is the ceiling of a bulk load. */
  readonly synchronous: 'FULL' | 'OFF';
}

/** @returns microseconds per operation: of the second half of twice as many, the closing of the database not counted. */
export function sqliteFloor(directory: string, options: FloorOptions): number {
  const database = openFloor(directory, options.synchronous);
  try {
    const insert = inserter(database);
    const batch = database.transaction((first: number, end: number) => {
      for (let index = first; index < end; index++) insert(index);
    });
    const { operations, perTransaction } = options;
    const work = (from: number) => {
      const end = from + operations;
      for (let first = from; first < end; first += perTransaction) {
        batch.immediate(first, Math.min(first + perTransaction, end));
      }
    };
    work(0);
    const start = performance.now();
    work(operations);
    return ((performance.now() - start) * 1_000) / operations;
  } finally {
    database.close();
  }
}

/** A database with the product's tables and without its triggers. */
export function openFloor(directory: string, synchronous: FloorOptions['synchronous']): Database.Database {
  const database = new Database(join(directory, 'floor.db'));
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${synchronous}`);
  for (const statement of migrations.flatMap((migration) => migration.statements)) {
    if (!/^\s*CREATE TRIGGER/m.test(statement)) database.exec(statement);
  }
  return database;
}

const data = JSON.stringify({
  title: 'The tide table shows yesterday after midnight',
  body: 'Seen on two tablets in the club house. '.repeat(6),
  state: 'open',
  tags: ['tides', 'display'],
  priority: 2,
});
const body = JSON.stringify({ set: JSON.parse(data) as unknown });
const origin = JSON.stringify({
  tool: 'create',
  request: '17',
  client: 'bench',
  client_version: '1.0.0',
  session: '3f1c2e9a-5d0b-4c58-9a7e-1b2c3d4e5f60',
});
const hash = Buffer.alloc(32, 7);
const seconds = 1_790_000_000;

/** Writes the rows of one operation; the transaction is the caller's. */
export function inserter(database: Database.Database): (index: number) => void {
  const event = database.prepare(
    `INSERT INTO _events (commit_no, row_id, row_version, type, event_version, body, actor, origin, at_ms, prev_hash, hash)
     VALUES (?, ?, 1, 'row.created', 1, ?, 'bench', ?, ?, ?, ?)`,
  );
  const row = database.prepare('INSERT INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, ?, ?, 1)');
  const history = database.prepare(
    "INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json) VALUES ('floor', ?, 1, ?, 'create', ?)",
  );
  return (index) => {
    const id = idOf(index);
    event.run(index, id, body, origin, seconds * 1_000, hash, hash);
    row.run(id, data, seconds, seconds);
    history.run(id, seconds, data);
  };
}
