/** The fences around a batch's own SQL: what must not run, by either fence alone, and what must run and be recorded. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runBatch } from '../../src/ops/run-batch.js';
import { checkGrammar } from '../../src/projections/rows/raw-sql/grammar.js';
import { checkProgram, Uncompilable } from '../../src/projections/rows/raw-sql/program.js';
import { caller, relationsYaml, ScopeStore } from './scope-store.js';

let store: ScopeStore;

beforeEach(async () => {
  store = new ScopeStore();
  store.write(relationsYaml, 'user', 'relations', 'schema.yaml');
  await store.registry.reload();
});

afterEach(() => store.dispose());

const edge = { from: 'x', to: 'a', type: 'sister_of', ts: 1 };

function run(sql: string, params?: unknown[]) {
  return runBatch(store, { ops: [{ op: 'query', table: 'relations', sql, params }] }, caller);
}

/** Other tables, other statements, and the ways to hide them. The second fence has to see every one of the first list. */
const reachesOut = [
  'SELECT * FROM _events',
  'SELECT * FROM "_events"',
  'SELECT * FROM [_events]',
  'SELECT * FROM `_events`',
  "SELECT * FROM '_events'",
  'SELECT * FROM main._events',
  'SELECT * FROM main."_EVENTS"',
  'SELECT * FROM rows, _events',
  'SELECT * FROM rows r, (_events) e',
  'SELECT * FROM (rows, _events)',
  'SELECT * FROM ((rows CROSS JOIN _row_history))',
  'SELECT * FROM rows JOIN _row_history h ON h.row_id = rows.id',
  'SELECT * FROM rows LEFT JOIN rows b ON b.id = rows.id, _aliases',
  'SELECT (SELECT count(*) FROM _row_history)',
  'SELECT EXISTS (SELECT 1 FROM _events)',
  'SELECT id FROM rows WHERE id IN _aliases',
  'SELECT id FROM rows WHERE id IN (SELECT row_id FROM _foreign_writes)',
  'SELECT id FROM rows WHERE id IN (VALUES (1)) UNION SELECT name FROM _aliases',
  'SELECT id FROM rows EXCEPT SELECT row_id FROM _row_history',
  'WITH e AS (SELECT * FROM _events) SELECT * FROM e',
  'WITH a AS (SELECT 1), b AS (SELECT * FROM a, _events) SELECT * FROM b',
  'SELECT * FROM (WITH e AS MATERIALIZED (SELECT * FROM _events) SELECT * FROM e)',
  'SELECT/**/*/**/FROM/**/_events',
  'SELECT * FROM -- rows\n _events',
  'SELECT * FROM sqlite_schema',
  'SELECT * FROM sqlite_master',
  'SELECT * FROM main.sqlite_schema',
  'SELECT * FROM temp.sqlite_schema',
  'SELECT * FROM sqlite_temp_master',
  'SELECT * FROM sqlite_sequence',
  "SELECT * FROM pragma_table_info('rows')",
  'SELECT * FROM pragma_database_list',
  "SELECT * FROM rows, pragma_table_info('_events')",
  'SELECT * FROM dbstat',
  "SELECT * FROM fts5vocab('a', 'b')",
  'SELECT * FROM temp.rows',
  'SELECT * FROM other.rows',
  'SELECT * FROM nothing',
  'INSERT INTO _events (seq) VALUES (1)',
  "INSERT INTO _aliases (name, filter) VALUES ('a', '{}')",
  'INSERT INTO rows (id, data, created_at, updated_at) SELECT hash, body, 1, 1 FROM _events',
  "INSERT INTO rows (id, data, created_at, updated_at) VALUES ((SELECT body FROM _events), '{}', 1, 1)",
  "INSERT INTO rows (id, data, created_at, updated_at) VALUES ('a', '{}', 1, 1) RETURNING (SELECT body FROM _events)",
  "INSERT INTO rows (id, data, created_at, updated_at) VALUES ('a', '{}', 1, 1) ON CONFLICT (id) DO UPDATE SET data = (SELECT body FROM _events)",
  'UPDATE _row_history SET data_json = NULL',
  'UPDATE OR IGNORE "_events" SET body = 1',
  'UPDATE sqlite_sequence SET seq = 0',
  'UPDATE rows SET data = body FROM _events',
  'UPDATE rows SET data = (SELECT body FROM _events LIMIT 1)',
  'DELETE FROM _events',
  'DELETE FROM main._foreign_writes',
  'DELETE FROM rows WHERE id IN (SELECT row_id FROM _events)',
  'WITH x AS (SELECT 1) DELETE FROM _events',
  "WITH x AS (SELECT 1) INSERT INTO _aliases (name, filter) SELECT 'a', 'b' FROM x",
  "REPLACE INTO _aliases (name, filter) VALUES ('a', 'b')",
  "UPDATE sqlite_schema SET sql = ''",
];

/** Statements of another kind, and what the words alone show. */
const isAnother = [
  '',
  ';',
  'INVALID SQL',
  'CREATE TABLE x (a)',
  'CREATE TEMP TABLE rows (a)',
  'CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM _events; END',
  'CREATE VIEW v AS SELECT 1',
  'CREATE INDEX i ON rows (data)',
  'DROP TABLE rows',
  'DROP INDEX idx_rows_created',
  'ALTER TABLE rows ADD COLUMN x',
  "ATTACH ':memory:' AS other",
  'DETACH main',
  'PRAGMA writable_schema = ON',
  'PRAGMA user_version',
  '/* SELECT */ PRAGMA journal_mode = DELETE',
  'BEGIN',
  'COMMIT',
  'END',
  'ROLLBACK',
  'SAVEPOINT x',
  'RELEASE job',
  'ROLLBACK TO direct',
  'VACUUM',
  "VACUUM INTO '/tmp/x.db'",
  'REINDEX',
  'ANALYZE',
  'EXPLAIN SELECT * FROM rows',
  'EXPLAIN QUERY PLAN DELETE FROM rows',
  'SELECT 1; SELECT 2',
  'SELECT 1; DELETE FROM rows',
  'DELETE FROM rows; COMMIT',
  'SELECT 1;; SELECT 2',
  'SELECT 1 /* never closed',
  "SELECT 'never closed",
  'SELECT (1',
  'SELECT 1)',
  'SELECT 1 \0 FROM _events',
  'SELECT # FROM rows',
  'SELECT :named',
  "SELECT load_extension('x')",
  "SELECT LOAD_EXTENSION ('x')",
  "SELECT readfile('/etc/passwd')",
  "SELECT writefile('/tmp/x', 'x')",
  "SELECT fts3_tokenizer('simple')",
  'SELECT sqlite_version()',
  "SELECT edit('x')",
  "INSERT INTO rows VALUES ('a', '{}', 1, 1, 9)",
  "INSERT INTO rows (id, data, created_at, updated_at, version) VALUES ('a', '{}', 1, 1, 9)",
  "INSERT INTO rows (rowid, id, data, created_at, updated_at) VALUES (1, 'a', '{}', 1, 1)",
  'UPDATE rows SET version = 0',
  'UPDATE rows SET "version" = 0',
  'UPDATE rows SET (data, version) = (SELECT data, 9)',
  'UPDATE rows SET data = data, rowid = 3',
  "INSERT INTO rows (id, data, created_at, updated_at) VALUES ('a', '{}', 1, 1) ON CONFLICT DO UPDATE SET version = 7",
  'INSERT INTO rows DEFAULT VALUES',
  'WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c',
  'WITH c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10000000) SELECT count(*) FROM c',
];

describe('a statement that reaches out of rows', () => {
  it.each([...reachesOut, ...isAnother])('is refused before it runs: %s', async (sql) => {
    const { log, rows } = store.registry.resolve('relations').open();
    const head = await log.head();
    const error = await run(sql).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', fields: { field: 'ops[0].sql' } });
    expect([await log.head(), rows.count()]).toEqual([head, 0]);
  });

  it.each([...reachesOut, ...isAnother])('is refused by its words alone: %s', (sql) => {
    if (sql === 'SELECT :named') return;
    expect(() => checkGrammar(sql)).toThrow(/validation error on field 'sql'/);
  });

  it.each(reachesOut)('is refused by its program alone: %s', (sql) => {
    let refusal: unknown = null;
    try {
      checkProgram(sql, {});
    } catch (error) {
      refusal = error;
    }
    // What SQLite itself cannot compile does not run either.
    expect(refusal instanceof Uncompilable || refusal).toSatisfy(
      (x) => x === true || /only the table rows/.test(String(x)),
    );
  });

  it.each([
    ['INSERT', ['SELECT 1']],
    ['SELECT ?1, ?3', [1, 2, 3]],
    ['SELECT ?', []],
    ['SELECT 1', [1]],
  ])('or whose params do not fit is refused: %s', async (sql, params) => {
    await expect(run(sql, params)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

const insert = 'INSERT INTO rows (id, data, created_at, updated_at) VALUES (?1, ?2, ?3, ?4)';

/** Each with the number of rows it changes and, for a SELECT, answers; two rows, a and b, are there. */
const works: [sql: string, changed: number, answered: number | null, params?: unknown[]][] = [
  [insert, 1, null, ['c', JSON.stringify(edge), '1779330000', '1779330000']],
  [`${insert};  -- done`, 1, null, ['c', JSON.stringify(edge), 1, 2]],
  ['INSERT INTO rows (id, data, created_at, updated_at) VALUES (?, ?, ?, ?)', 1, null, ['c', edge, 1, 1]],
  ['insert or replace into main.rows (id, data, created_at, updated_at) values (?, ?, 1, 1)', 1, null, ['a', edge]],
  ['REPLACE INTO "rows" ("id", data, [created_at], `updated_at`) VALUES (?, ?, 9, 9)', 1, null, ['b', edge]],
  ['INSERT OR IGNORE INTO rows (id, data, created_at, updated_at) VALUES (?, ?, 1, 1)', 0, null, ['a', edge]],
  [
    `${insert} ON CONFLICT (id) DO UPDATE SET data = excluded.data, updated_at = 77`,
    1,
    null,
    ['a', { ...edge, to: 'z' }, 1, 1],
  ],
  [
    "INSERT INTO rows (id, data, created_at, updated_at) SELECT lower(hex(randomblob(16))), r.data, 1, 1 FROM rows AS r WHERE r.id = 'a'",
    1,
    null,
  ],
  ["UPDATE rows SET data = json_set(data, '$.strength', 0.5)", 2, null],
  ["UPDATE rows SET (data, updated_at) = (json_set(data, '$.to', 'q'), 5) WHERE id = 'a'", 1, null],
  ["UPDATE rows AS r SET id = 'c' WHERE r.id = 'a'", 2, null],
  ["UPDATE rows SET data = json_set(data, '$.to', (SELECT max(id) FROM rows)) WHERE id = 'a' RETURNING id, data", 1, 1],
  ['DELETE FROM rows', 2, null],
  ['DELETE FROM rows WHERE id IN (SELECT id FROM rows ORDER BY created_at DESC LIMIT 1)', 1, null],
  ["WITH gone AS (SELECT id FROM rows WHERE id = 'b') DELETE FROM rows WHERE id IN gone RETURNING id", 1, 1],
  ['SELECT id, data FROM rows ORDER BY id', 0, 2],
  ["SELECT rows.id, j.key FROM rows, json_each(rows.data) j WHERE j.key = 'to'", 0, 2],
  ['SELECT a.id FROM (rows a JOIN rows b ON a.id = b.id)', 0, 2],
  ['VALUES (1), (2), (3)', 0, 3],
  ["SELECT count(*) AS n FROM rows WHERE data IS NOT DISTINCT FROM '_events; DROP TABLE rows' OR id = 'a'", 0, 1],
  ['WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5) SELECT x FROM c', 0, 5],
  ["SELECT t.fullkey FROM rows CROSS JOIN json_tree(rows.data) AS t WHERE t.atom = 'x' AND t.type IN ('text')", 0, 2],
  ['SELECT CASE WHEN 1 IN (1, 2) THEN ? END AS "from", ? AS b, ? AS c', 0, 1, [true, null, 2 ** 40]],
];

describe('a statement on rows', () => {
  beforeEach(async () => {
    const params = (id: string) => [id, JSON.stringify(edge), 10, 10];
    const op = (id: string) => ({ op: 'query', table: 'relations', sql: insert, params: params(id) });
    await runBatch(store, { ops: [op('a'), op('b')] }, caller);
  });

  it.each(works)('works and is recorded: %s', async (sql, changed, answered, params) => {
    const { log, rows } = store.registry.resolve('relations').open();
    const head = await log.head();
    const { results } = await run(sql, params);
    expect(results).toMatchObject([{ op: 'query', rows_affected: changed }]);
    const answer = (results[0] as { rows?: unknown[] }).rows;
    expect(answer?.length ?? null).toBe(answered);
    const events = await log.readAfter(head, 100);
    expect(events.filter((event) => event.type.startsWith('row.'))).toHaveLength(changed);
    for (const event of events) expect(['row.created', 'row.updated', 'row.deleted']).toContain(event.type);
    for (const row of rows.list({ limit: 100, offset: 0 })) expect(row.version).toBeGreaterThan(0);
    expect(store.registry.resolve('relations').open().status().foreignWrites).toBe(0);
  });

  it('answers with the types of JSON', async () => {
    const { results } = await run('SELECT ? AS a, ? AS b, ? AS c, ? AS d, 1.5 AS e', [true, null, 2 ** 40, { x: [1] }]);
    expect(results).toMatchObject([{ rows: [{ a: 1, b: null, c: 2 ** 40, d: '{"x":[1]}', e: 1.5 }] }]);
  });

  it('answers with 10,000 rows at most', async () => {
    const sql = 'WITH c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10001) SELECT x FROM c';
    await expect(run(sql)).rejects.toMatchObject({ code: 'BATCH_ABORTED', fields: { cause_code: 'VALIDATION_ERROR' } });
    await expect(run(`${sql} LIMIT 10000`)).resolves.toMatchObject({ committed: true });
  });

  it.each([
    ['no object', insert, ['c', '[1]', 1, 1]],
    ['no JSON', insert, ['c', '{', 1, 1]],
    ['against the schema', insert, ['c', '{"from":"x"}', 1, 1]],
    ['with a time that is no number', insert, ['c', JSON.stringify(edge), 'yesterday', 1]],
    ['with half a second', insert, ['c', JSON.stringify(edge), 1.5, 1]],
    ['with an empty id', insert, ['', JSON.stringify(edge), 1, 1]],
    ['without an id', insert, [null, JSON.stringify(edge), 1, 1]],
    ['under an id that is there', insert, ['a', JSON.stringify(edge), 1, 1]],
    ['with an integer too large', insert, ['c', '{"from":"x","to":"y","type":"t","ts":9007199254740993}', 1, 1]],
    ['without a required field', "UPDATE rows SET data = json_remove(data, '$.to')", []],
    ['of unknown columns', 'SELECT nothing FROM rows', []],
    ['misspelt', 'SELECT FROM rows WHERE', []],
  ])('that leaves a row %s aborts the batch', async (_, sql, params) => {
    const before = store.registry.resolve('relations').open().rows.list({ limit: 10, offset: 0 });
    const ops = [
      { op: 'data_insert', table: 'relations', data: edge },
      { op: 'query', sql, params },
    ];
    await expect(runBatch(store, { ops }, caller)).rejects.toMatchObject({
      code: 'BATCH_ABORTED',
      fields: { op_index: 1, cause_code: 'VALIDATION_ERROR' },
    });
    expect(store.registry.resolve('relations').open().rows.list({ limit: 10, offset: 0 })).toEqual(before);
  });
});
