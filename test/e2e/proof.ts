/** What a database file says of itself after the fact. */
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { verifyTable } from '../../src/ops/verify-table.js';
import { parseSchema } from '../../src/schema/parse-schema.js';
import { issuesSchema } from './server.js';

/** Chain, sequence, rows and history against the log's replay, and SQLite's own check. */
export async function expectWhole(path: string): Promise<void> {
  const schema = parseSchema(issuesSchema, 'schema.yaml');
  const archive = { keepRecent: 16, chunkMin: 48 };
  const database = { path, name: 'issues', historyName: 'issues', archive, session: 'proof', now: Date.now };
  const { checks } = await verifyTable({ name: 'issues', schema, database });
  expect(checks.filter((check) => !check.ok)).toEqual([]);
  expect(query(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
}

export function query(path: string, sql: string, ...params: unknown[]): unknown[] {
  const connection = new Database(path, { timeout: 5000 });
  try {
    return connection.prepare(sql).all(...params);
  } finally {
    connection.close();
  }
}
