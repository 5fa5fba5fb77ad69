/** SQL of a batch that would not end, or would fill the memory: it is tried in a process that can be killed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryQuery } from '../../src/ops/query-trial.js';
import { runBatch } from '../../src/ops/run-batch.js';
import { trialLimits } from '../../src/ops/trial-process.js';
import { caller, relationsYaml, ScopeStore } from './scope-store.js';

let store: ScopeStore;

beforeEach(async () => {
  store = new ScopeStore();
  store.write(relationsYaml, 'user', 'relations', 'schema.yaml');
  await store.registry.reload();
});

afterEach(() => store.dispose());

const edge = { from: 'x', to: 'a', type: 'sister_of', ts: 1 };
const insert = (data: object = edge) => ({ op: 'data_insert', table: 'relations', data });
const query = (sql: string, params: unknown[] = []) => ({ op: 'query', table: 'relations', sql, params });
const run = (...ops: object[]) => runBatch(store, { ops }, caller);
const numbers = (name: string) => `${name}(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ${name} LIMIT 100000)`;
const product = `WITH RECURSIVE ${numbers('a')}, ${numbers('b')} SELECT count(*) FROM a, b`;
const nested = Array.from({ length: 24 }).reduce<string>(
  (inner) => `SELECT a || a AS a FROM (${inner})`,
  'SELECT 1 AS a',
);

describe('a statement that is tried first', () => {
  it('is refused when it does not end, while the event loop goes on', async () => {
    let turns = 0;
    const clock = setInterval(() => turns++, 20);
    const refused = await run(insert(), query(product)).catch((error: unknown) => error);
    clearInterval(clock);
    expect(refused).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: { field: 'ops[1].sql', reason: 'it runs for more than 2 s; nothing was changed' },
      hint: expect.stringContaining('LIMIT'),
    });
    expect(turns).toBeGreaterThan(40);
    expect((await run(query('SELECT count(*) AS n FROM rows'))).results).toEqual([
      { op: 'query', rows_affected: 0, rows: [{ n: 0 }] },
    ]);
  });

  it('is refused when compiling it does not end', async () => {
    await expect(run(query(nested))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: { field: 'ops[0].sql' },
    });
  });

  it('is refused when it needs too much memory', async () => {
    const job = { kind: 'run', path: 'none.db', changed: [] } as const;
    const statement = { sql: 'SELECT length(hex(randomblob(250000000)))', bindings: {} };
    const limits = { ...trialLimits, time: 30_000, memory: 200 * 1024 * 1024 };
    await expect(tryQuery({ ...job, statement }, limits)).rejects.toMatchObject({
      fields: { reason: 'it needs more than 200 MiB of memory; nothing was changed' },
    });
  });

  it('sees what the batch did before it', async () => {
    const rows = Array.from({ length: 80 }, (_, ts) => insert({ ...edge, ts }));
    const pairs = "SELECT count(*) AS n FROM rows a, rows b WHERE a.data ->> 'ts' < b.data ->> 'ts'";
    const { results } = await run(...rows, query(pairs));
    expect(results.at(-1)).toMatchObject({ rows: [{ n: (80 * 79) / 2 }] });
    const five = 'SELECT count(*) FROM rows a, rows b, rows c, rows d, rows e';
    await expect(run(query(five))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const gone = await run(query('DELETE FROM rows'), query(five));
    expect(gone.results.at(-1)).toMatchObject({ rows: [{ 'count(*)': 0 }] });
  });

  it('changes what it would change, once', async () => {
    await run(insert(), insert());
    const copy =
      'INSERT INTO rows (id, data, created_at, updated_at) SELECT a.id || b.id, b.data, 1, 1 FROM rows a, rows b';
    expect((await run(query(copy))).results).toMatchObject([{ rows_affected: 4 }]);
    expect((await run(query('SELECT count(*) AS n FROM rows'))).results).toMatchObject([{ rows: [{ n: 6 }] }]);
  });

  it('may not change more rows than the log should take at once', async () => {
    const many = `WITH RECURSIVE ${numbers('n')} INSERT INTO rows (id, data, created_at, updated_at) SELECT 'r' || i, '{}', 1, 1 FROM n`;
    await expect(run(query(many))).rejects.toMatchObject({
      fields: { reason: expect.stringContaining('changes more than 20000 rows') },
    });
  });

  it('is answered in a dry run, and in a batch that makes its table', async () => {
    const make = { op: 'schema_create', table: 'new', scope: 'user', fields: [{ name: 'n', type: 'number' }] };
    const ops = [
      make,
      { op: 'data_insert', data: { n: 1 } },
      { op: 'query', sql: 'SELECT count(*) AS n FROM rows a, rows b' },
    ];
    const expected = { op: 'query', rows_affected: 0, rows: [{ n: 1 }] };
    expect((await runBatch(store, { ops, dry_run: true }, caller)).results.at(-1)).toEqual(expected);
    expect((await runBatch(store, { ops }, caller)).results.at(-1)).toEqual(expected);
  });
});

describe('a row that a statement makes', () => {
  it('is not blown up beyond 8 MiB', async () => {
    await run(insert({ ...edge, from: 'y'.repeat(1_000) }));
    const blown = "UPDATE rows SET data = json_set(data, '$.from', hex(randomblob(5000000)))";
    await expect(run(query(blown))).rejects.toMatchObject({
      code: 'BATCH_ABORTED',
      fields: { cause: { code: 'VALIDATION_ERROR', field: 'data' }, reason: expect.stringContaining('8388608') },
    });
  });
});

describe('the answer of a statement', () => {
  it('holds at most 8 MiB', async () => {
    await run(insert({ ...edge, from: 'y'.repeat(600_000) }));
    const four = 'SELECT data || data || data || data AS text FROM rows';
    expect((await run(query(four))).results).toHaveLength(1);
    const refusal = {
      code: 'BATCH_ABORTED',
      fields: { cause_code: 'VALIDATION_ERROR', reason: expect.stringContaining('longer than 8388608 characters') },
    };
    await expect(run(query(Array.from({ length: 4 }, () => four).join(' UNION ALL ')))).rejects.toMatchObject(refusal);
    const sixteen = `SELECT ${Array.from({ length: 16 }, () => 'data').join(' || ')} AS text FROM rows`;
    await expect(run(query(sixteen))).rejects.toMatchObject(refusal);
  });
});
