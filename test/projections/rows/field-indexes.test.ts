import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate } from '../../../src/events/migrate.js';
import { lackFieldIndexes, syncFieldIndexes } from '../../../src/projections/rows/field-indexes.js';
import { listSql } from '../../../src/projections/rows/list-sql.js';
import type { Filter } from '../../../src/schema/filter.js';

const names = ['state', 'points', 'done', `a "quoted'" $.x[0]`];

function database() {
  const connection = new Database(':memory:');
  migrate(connection);
  const insert = connection.prepare(
    'INSERT INTO rows (id, data, created_at, updated_at, version) VALUES (?, ?, ?, ?, 1)',
  );
  for (let n = 0; n < 50; n++) {
    const value = [String(n), n, n % 2 === 0, `${n % 5}`, null, [n], { n }];
    const data = Object.fromEntries(names.map((name, index) => [name, value[(index + n) % value.length]]));
    insert.run(`r${n}`, JSON.stringify(data), n, n);
  }
  return connection;
}

const filters: Filter[] = names.flatMap((field): Filter[] => [
  { type: 'eq', field, value: '3' },
  { type: 'eq', field, value: 3 },
  { type: 'eq', field, value: true },
  { type: 'eq', field, value: false },
  { type: 'in', field, values: ['1', '2'] },
  { type: 'in', field, values: [1, 2, 3] },
]);

it.each(filters)('an index serves the filter and changes no answer: %j', (filter) => {
  const connection = database();
  const query = { filter, limit: 100, offset: 0 };
  const plain = listSql(query);
  const indexed = listSql({ ...query, indexed: names });
  const without = connection.prepare(plain.sql).all(...plain.params);
  syncFieldIndexes(connection, names);
  expect(connection.prepare(indexed.sql).all(...indexed.params)).toEqual(without);
  const plan = connection.prepare(`EXPLAIN QUERY PLAN ${indexed.sql}`).all(...indexed.params);
  expect(JSON.stringify(plan)).toMatch(/SEARCH rows USING INDEX idx_rows_field_[0-9a-f]+ \(<expr>=\?\)/);
  connection.close();
});

it('an index serves the order', () => {
  const connection = database();
  syncFieldIndexes(connection, names);
  const { sql, params } = listSql({
    limit: 5,
    offset: 0,
    orderBy: [{ field: 'points', direction: 'asc' }],
    indexed: names,
  });
  expect(JSON.stringify(connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params))).toMatch(/idx_rows_field_/);
  connection.close();
});

it('indexes come and go with the schema, and not where data is no JSON', () => {
  const connection = database();
  expect(lackFieldIndexes(connection, [])).toBe(false);
  syncFieldIndexes(connection, ['state', 'points']);
  expect([lackFieldIndexes(connection, ['points', 'state']), lackFieldIndexes(connection, ['state'])]).toEqual([
    false,
    true,
  ]);
  syncFieldIndexes(connection, []);
  connection.exec("UPDATE rows SET data = 'broken', version = 2 WHERE id = 'r1'");
  syncFieldIndexes(connection, ['state']);
  expect(lackFieldIndexes(connection, ['state'])).toBe(true);
  connection.close();
});
