/** Which statements run at once, and which are tried in a process of their own first. */
import { describe, expect, it } from 'vitest';
import { checkStatement } from '../../../src/projections/rows/raw-sql/statement.js';
import type { JsonValue } from '../../../src/schema/json.js';

type Case = { readonly sql: string; readonly params?: readonly JsonValue[] };

const onePass: readonly Case[] = [
  { sql: 'SELECT count(*) FROM rows' },
  { sql: "SELECT id, data ->> '$.title' FROM rows WHERE data LIKE '%a%' ORDER BY created_at DESC LIMIT 5" },
  {
    sql: "SELECT json_extract(data, '$.state') AS s, count(*), avg(length(data)) FROM rows GROUP BY 1 HAVING count(*) > 1",
  },
  { sql: 'SELECT DISTINCT lower(id), coalesce(data, 2), iif(1, 2, 3), CAST(created_at AS TEXT) FROM rows' },
  { sql: "SELECT strftime('%Y', created_at, 'unixepoch') FROM rows WHERE id IN ('a', 'b')" },
  { sql: "SELECT data FROM rows WHERE data ->> '$.x' LIKE ? OR data GLOB ?", params: ['a%', '*b'] },
  { sql: "UPDATE rows SET data = json_set(data, '$.a', 1, '$.b', ?) WHERE id = ?", params: [2, 'x'] },
  { sql: "UPDATE rows SET data = json_set(data, '$.t', (data ->> '$.t') || '!')" },
  { sql: 'DELETE FROM rows' },
  { sql: "DELETE FROM rows WHERE json_extract(data, '$.old') = 1 RETURNING id" },
  {
    sql: "INSERT INTO rows (id, data, created_at, updated_at) VALUES ('a', '{}', 1, 1), ('b', json_object('k', ?), 1, 1)",
    params: [1],
  },
  { sql: 'VALUES (1), (2)' },
  { sql: 'SELECT 1' },
];

const doubling = (levels: number) =>
  Array.from({ length: levels }).reduce<string>(
    (inner) => `SELECT a || a AS a FROM (${inner})`,
    'SELECT data AS a FROM rows',
  );

const more: readonly Case[] = [
  { sql: 'SELECT count(*) FROM rows a, rows b, rows c' },
  { sql: 'SELECT count(*) FROM rows a JOIN rows b ON b.id = a.data' },
  { sql: 'SELECT count(*) FROM rows AS "CONSTANT ROW", rows' },
  { sql: 'SELECT id FROM rows WHERE id IN (SELECT data FROM rows)' },
  { sql: 'SELECT (SELECT count(*) FROM rows b WHERE b.data = a.data) FROM rows a' },
  { sql: 'SELECT id FROM rows UNION ALL SELECT id FROM rows' },
  { sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT count(*) FROM n' },
  { sql: 'SELECT value FROM rows, json_each(rows.data)' },
  { sql: 'SELECT sum(created_at) OVER (ORDER BY created_at) FROM rows' },
  { sql: "SELECT replace(data, 'a', 'bbbb') FROM rows" },
  { sql: "SELECT printf('%900000000d', 1)" },
  { sql: "SELECT format('%900000000d', 1)" },
  { sql: 'SELECT hex(randomblob(100000000))' },
  { sql: 'SELECT group_concat(data) FROM rows' },
  { sql: 'SELECT json_group_array(data) FROM rows' },
  { sql: 'SELECT instr(data, substr(data, 5)) FROM rows' },
  { sql: 'SELECT count(*) FROM rows WHERE data LIKE data' },
  { sql: "SELECT count(*) FROM rows WHERE data LIKE '%' || data" },
  { sql: 'SELECT like(data, data) FROM rows' },
  { sql: 'SELECT count(*) FROM rows WHERE data LIKE ?', params: ['a'.repeat(2_000)] },
  { sql: 'UPDATE rows SET data = (SELECT data FROM rows LIMIT 1)' },
  { sql: "INSERT INTO rows (id, data, created_at, updated_at) SELECT a.id || b.id, '{}', 1, 1 FROM rows a, rows b" },
  { sql: `SELECT ${Array.from({ length: 65 }, () => 'data').join()} FROM rows` },
  { sql: doubling(6) },
];

describe('what a statement may cost', () => {
  it.each(onePass)('runs at once: $sql', ({ sql, params = [] }) => {
    expect(checkStatement(sql, params)).toMatchObject({ objection: null, mayTakeLong: false });
  });

  it.each(more)('is tried first: $sql', ({ sql, params = [] }) => {
    expect(checkStatement(sql, params)).toMatchObject({ objection: null, mayTakeLong: true });
  });
});
