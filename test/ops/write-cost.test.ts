/** What an operation costs in statements, commits and pages: a guard that needs no clock. */
import { statSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getRow } from '../../src/ops/get-row.js';
import { listRows } from '../../src/ops/list-rows.js';
import { ScratchTable } from './scratch-table.js';

let table: ScratchTable;
let id: string;
const statements: string[] = [];

beforeEach(async () => {
  table = new ScratchTable({ onStatement: (sql) => void statements.push(sql) });
  id = await table.create({ title: 'first', body: 'text' });
});

afterEach(() => table.remove());

interface Cost {
  readonly statements: number;
  readonly commits: number;
  /** INSERT, UPDATE and DELETE. */
  readonly changes: number;
  /** Pages that went into the WAL. */
  readonly pages: number;
}

async function costOf(operation: () => Promise<unknown>): Promise<Cost> {
  table.database.connection.pragma('wal_checkpoint(TRUNCATE)');
  statements.length = 0;
  await operation();
  const count = (pattern: RegExp) => statements.filter((sql) => pattern.test(sql)).length;
  return {
    statements: statements.length,
    commits: count(/^COMMIT/),
    changes: count(/^(INSERT|UPDATE|DELETE)/),
    pages: pagesInWal(),
  };
}

/** A WAL has a header of 32 bytes, and one of 24 before each page. */
function pagesInWal(): number {
  const { size } = statSync(`${table.path}-wal`);
  return size === 0 ? 0 : (size - 32) / (4_096 + 24);
}

/** When one of these falls, write the lower number here; when one rises, every write has become slower. */
const create = { statements: 6, commits: 1, changes: 3, pages: 9 };

const callers = 64;

test.each<[string, Cost, () => Promise<unknown>]>([
  ['create', create, () => table.create({ title: 'next', body: 'text' })],
  ['update, merge', { ...create, statements: 7, pages: 8 }, () => table.update(id, { body: 'other' })],
  ['delete', { ...create, statements: 8, changes: 4 }, () => table.delete(id)],
  ['get by id', { statements: 1, commits: 0, changes: 0, pages: 0 }, () => getRow(table.store, { id })],
  ['list', { statements: 1, commits: 0, changes: 0, pages: 0 }, () => listRows(table.store, {})],
])('%s', async (_, cost, operation) => {
  expect(await costOf(operation)).toEqual(cost);
});

test('callers that come together share one commit, one look at what others did, and the pages', async () => {
  const many = () => Promise.all(Array.from({ length: callers }, () => table.create({ title: 'next', body: 'text' })));
  const cost = await costOf(many);
  expect(cost).toMatchObject({ commits: 1, changes: callers * create.changes });
  expect(cost.statements - cost.changes).toBe(create.statements - create.changes);
  expect(cost.pages).toBeLessThan(callers);
});
