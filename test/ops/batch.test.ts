import { existsSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRow } from '../../src/ops/create-row.js';
import { listRows } from '../../src/ops/list-rows.js';
import { type BatchInput, runBatch } from '../../src/ops/run-batch.js';
import { caller, relationsYaml, ScopeStore } from './scope-store.js';

let store: ScopeStore;

beforeEach(async () => {
  store = new ScopeStore();
  store.write(relationsYaml, 'user', 'relations', 'schema.yaml');
  await store.registry.reload();
});

afterEach(() => store.dispose());

const run = (ops: unknown[], more: Partial<BatchInput> = {}) => runBatch(store, { ops, ...more }, caller);
const edge = (to: string, more: object = {}) => ({ from: 'persona-x', to, type: 'sister_of', ts: 1779330000, ...more });
const list = async () =>
  (await listRows(store, { table: 'relations', limit: 1000 })).map((row) => JSON.parse(row.data.text));
const fields = [{ name: 'title', type: 'string', required: true }];
const database = () => store.registry.resolve('relations').open();

describe('the walk-through of relations', () => {
  const sql = 'INSERT INTO rows (id, data, created_at, updated_at) VALUES (?1, ?2, ?3, ?4)';
  const data = '{"from":"persona-x","to":"a","type":"sister_of","ts":1779330000,"strength":1.0}';

  it('inserts edges with text for numbers, and replaces them as a set', async () => {
    const insert = (id: string) => ({ op: 'query', sql, params: [id, data, '1779330000', '1779330000'] });
    const inserted = await run(['0', '1', '2', '3', '4'].map(insert), { table: 'relations' });
    expect(inserted).toMatchObject({ committed: true, ops_executed: 5, yaml_writes: [], backups_written: [] });
    const [row] = await listRows(store, { table: 'relations', limit: 1 });
    expect(row).toMatchObject({
      id: '4',
      created_at: 1779330000,
      updated_at: 1779330000,
      version: 1,
      data: { text: data },
    });
    expect(await database().history.list('0')).toMatchObject([{ op: 'create', version: 1, data }]);
    await createRow(store, { table: 'relations', data: edge('z', { type: 'mother_of' }) }, caller);
    const items = [edge('a', { strength: 1.0 }), edge('b', { strength: 1.0 }), edge('c', { strength: 0.8 })];
    const replace = { op: 'replace', table: 'relations', match: { from: 'persona-x', type: 'sister_of' }, items };
    expect(await run([replace])).toMatchObject({
      committed: true,
      ops_executed: 1,
      affects: { deleted: 5, inserted: 3 },
    });
    expect((await list()).map((found) => found.to).sort()).toEqual(['a', 'b', 'c', 'z']);
    expect(await database().history.list('0')).toMatchObject([{ op: 'create' }, { op: 'delete' }]);
  });

  it('creates a table and fills it in one batch', async () => {
    const result = await run([
      { op: 'create', table: 'notes', scope: 'project', fields },
      { op: 'data_insert', table: 'notes', data: { title: 'first note' } },
      { op: 'query', sql: 'SELECT count(*) AS n FROM rows' },
    ]);
    expect(result).toMatchObject({
      committed: true,
      ops_executed: 3,
      results: [{ op: 'schema_create' }, { op: 'data_insert', version: 1 }, { op: 'query', rows: [{ n: 1 }] }],
      yaml_writes: [store.path('project', 'notes', 'schema.yaml')],
      registry_rebuilt: true,
    });
    expect(await listRows(store, { table: 'notes' })).toHaveLength(1);
  });
});

describe('ops', () => {
  it('write rows as the single tools do', async () => {
    const { results } = await run([{ op: 'data_insert', table: 'relations', data: edge('a') }]);
    const { id } = results[0] as { id: string };
    const changed = await run([
      { op: 'data_update', table: 'relations', id: id.slice(0, 10), data: { to: 'b' }, expected_version: 1 },
      { op: 'data_update', id, data: edge('c'), mode: 'replace' },
      { op: 'data_delete', id, expected_version: 3 },
    ]);
    expect(changed.results).toEqual([
      { op: 'data_update', id, version: 2 },
      { op: 'data_update', id, version: 3 },
      { op: 'data_delete', deleted: id },
    ]);
  });

  it('change the schema between rows', async () => {
    const more = [...fields, { name: 'state', type: 'string', required: true }];
    await run([{ op: 'schema_create', table: 'notes', scope: 'user', fields }]);
    const result = await run([
      { op: 'data_insert', table: 'notes', data: { title: 'a' } },
      { op: 'schema_update', table: 'notes', scope: 'user', fields: more },
      { op: 'data_insert', table: 'notes', data: { title: 'b', state: 'open' } },
    ]);
    expect(result).toMatchObject({
      backups_written: [store.path('user', '_backup')],
      results: [{}, { fields_added: ['state'] }, {}],
    });
    const late = run([
      { op: 'schema_update', table: 'notes', scope: 'user', fields: more },
      { op: 'data_insert', table: 'notes', data: { title: 'c' } },
    ]);
    await expect(late).rejects.toMatchObject({ code: 'BATCH_ABORTED', fields: { op_index: 1 } });
    const gone = run([
      { op: 'schema_delete', table: 'notes', scope: 'user' },
      { op: 'data_insert', table: 'notes', data: { title: 'c', state: 'x' } },
    ]);
    await expect(gone).rejects.toMatchObject({ fields: { op_index: 1, cause_code: 'TABLE_NOT_FOUND' } });
  });

  it('of an empty batch do nothing', async () => {
    const nothing = { ops_executed: 0, yaml_writes: [], backups_written: [], registry_rebuilt: false, results: [] };
    expect(await run([])).toEqual({ committed: true, ...nothing });
    expect(await run([], { dry_run: true })).toEqual({ committed: false, ...nothing });
  });

  it('that repeat an idempotency key run once', async () => {
    const ops = [{ op: 'data_insert', table: 'relations', data: edge('a') }];
    const first = await run(ops, { idempotency_key: 'k' });
    expect(await run(ops, { idempotency_key: 'k' })).toEqual({ ...first, replayed: true });
    expect(database().rows.count()).toBe(1);
    const other = run([{ op: 'data_insert', table: 'relations', data: edge('b') }], { idempotency_key: 'k' });
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  });

  it('that create a table and repeat their key run once', async () => {
    const ops = [
      { op: 'create', table: 'notes', scope: 'user', fields },
      { op: 'data_insert', data: { title: 'a' } },
    ];
    const first = await run(ops, { idempotency_key: 'k' });
    expect(await run(ops, { idempotency_key: 'k' })).toMatchObject({ results: first.results, replayed: true });
  });

  it('of a batch carry their caller', async () => {
    await run([
      {
        op: 'query',
        table: 'relations',
        sql: "INSERT INTO rows (id, data, created_at, updated_at) VALUES ('a', ?, 1, 1)",
        params: [edge('a')],
      },
    ]);
    const [event] = await database().log.readAfter(0, 1);
    expect(event).toMatchObject({ actor: 'tester', type: 'row.created', origin: JSON.stringify(caller.origin) });
  });
});

describe('a batch that cannot be right', () => {
  it.each([
    [
      [
        { op: 'data_insert', table: 'a', data: {} },
        { op: 'data_insert', table: 'b', data: {} },
      ],
      'ops',
    ],
    [
      [
        { op: 'schema_delete', table: 'a', scope: 'user' },
        { op: 'schema_create', table: 'a', scope: 'project', fields },
      ],
      'ops',
    ],
    [[{ op: 'inset', table: 'a' }], 'ops[0].op'],
    [[{ op: 'data_insert', table: 'a', data: {}, dta: 1 }], 'ops[0].dta'],
    [['text'], 'ops[0]'],
    [[{ op: 'schema_create', table: '../x', scope: 'user', fields }], 'table'],
    [[{ op: 'schema_create', table: 'x', scope: 'all', fields }], 'ops[0].scope'],
    [[{ op: 'data_delete', id: 5 }], 'ops[0].id'],
    [[{ op: 'replace', table: 'relations', match: {}, items: [] }], 'match'],
    [[{ op: 'replace', table: 'relations', match: [], items: [] }], 'match'],
    [[{ op: 'replace', table: 'relations', match: 'x', items: [] }], 'match'],
    [[{ op: 'replace', table: 'relations', match: { from: ['x'] }, items: [] }], 'match'],
    [[{ op: 'replace', table: 'relations', match: { 'a key': 'x' }, items: [] }], 'match.a key'],
    [[{ op: 'replace', table: 'relations', match: { from: 5 }, items: [] }], 'match.from'],
    [[{ op: 'query', table: 'relations', sql: 'DROP TABLE rows' }], 'ops[0].sql'],
  ])('is refused as it is: %j', async (ops, field) => {
    for (const dry_run of [false, true]) {
      await expect(run(ops, { dry_run })).rejects.toMatchObject({ code: 'VALIDATION_ERROR', fields: { field } });
    }
  });

  it('names no table', async () => {
    await expect(run([{ op: 'data_insert', data: {} }])).rejects.toMatchObject({ code: 'TABLE_REQUIRED' });
    await expect(run([{ op: 'data_insert', table: 'x', data: {} }])).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
  });

  it('needs no table where one is the default', async () => {
    const legacy = new ScopeStore({
      directory: store.directory,
      environment: {
        MINI_APP_DB: store.path('one.db'),
        MINI_APP_SCHEMA: store.path('user', 'relations', 'schema.yaml'),
      },
    });
    expect(await runBatch(legacy, { ops: [{ op: 'query', sql: 'SELECT 1 AS one' }] }, caller)).toMatchObject({
      results: [{ rows: [{ one: 1 }] }],
    });
    await legacy.close();
  });
});

describe('a batch that fails', () => {
  it.each([
    [{ op: 'data_insert', data: { from: 1 } }, 'VALIDATION_ERROR', /from/],
    [{ op: 'data_delete', id: 'ffff' }, 'NOT_FOUND', /row not found/],
    [
      { op: 'replace', match: { from: 'persona-x' }, items: [edge('a'), { from: 'x' }] },
      'VALIDATION_ERROR',
      /^items\[1\]: .*to/,
    ],
    [
      { op: 'query', sql: "INSERT INTO rows (id, data, created_at, updated_at) VALUES ('q', '{}', 1, 1)" },
      'VALIDATION_ERROR',
      /required/,
    ],
    [{ op: 'schema_create', scope: 'user', fields }, 'SCHEMA_EXISTS', /already exists/],
    [{ op: 'schema_update', scope: 'user', fields: [{ name: 'x', type: 'text' }] }, 'VALIDATION_ERROR', /fields\[x\]/],
  ])('at %j leaves every file as it was', async (op, cause_code, reason) => {
    await createRow(store, { table: 'relations', data: edge('a') }, caller);
    const before = store.files();
    const failing = run([
      { op: 'data_insert', table: 'relations', data: edge('b') },
      { op: 'replace', match: { from: 'persona-x' }, items: [edge('n')] },
      op,
    ]);
    const expected = { op_index: 2, cause_code, reason: expect.stringMatching(reason) };
    await expect(failing).rejects.toMatchObject({ code: 'BATCH_ABORTED', fields: expected });
    expect(store.files()).toEqual(before);
  });

  it('tells a misspelt key before what is missing because of it', async () => {
    const misspelt = run([{ op: 'data_update', table: 'relations', id: 'a', dta: {} }]);
    await expect(misspelt).rejects.toMatchObject({
      fields: { field: 'ops[0].dta', reason: 'unknown key' },
      hint: "Did you mean 'data'?",
    });
    const missing = run([{ op: 'data_update', table: 'relations', id: 'a' }]);
    await expect(missing).rejects.toMatchObject({ fields: { field: 'ops[0].data', reason: 'is required' } });
  });

  it('carries what the error of the op carries', async () => {
    const ids = ['ab000000-0000-4000-8000-000000000001', 'ab000000-0000-4000-8000-000000000002'];
    const sql = 'INSERT INTO rows (id, data, created_at, updated_at) VALUES (?1, ?2, 1, 1)';
    const data = JSON.stringify(edge('a'));
    await run(ids.map((id) => ({ op: 'query', table: 'relations', sql, params: [id, data] })));
    const ambiguous = run([{ op: 'data_delete', table: 'relations', id: 'ab' }]);
    await expect(ambiguous).rejects.toMatchObject({ fields: { cause: { code: 'AMBIGUOUS_ID', candidates: ids } } });
    const late = run([{ op: 'data_delete', table: 'relations', id: ids[0], expected_version: 7 }]);
    const row = { id: ids[0], data: { text: data }, version: 1 };
    await expect(late).rejects.toMatchObject({
      fields: { cause: { code: 'VERSION_CONFLICT', expected: 7, actual: 1, row } },
    });
  });

  it('leaves no directory of the table it would have made', async () => {
    const ops = [
      { op: 'create', table: 'notes', scope: 'project', fields },
      { op: 'data_insert', data: {} },
    ];
    await expect(run(ops)).rejects.toMatchObject({ code: 'BATCH_ABORTED' });
    expect(existsSync(store.path('project'))).toBe(false);
  });

  it('at the backup changes nothing', async () => {
    store.write('', 'user', '_backup');
    const ops = [{ op: 'schema_update', table: 'relations', scope: 'user', fields }];
    await expect(run(ops)).rejects.toMatchObject({
      fields: { op_index: 0, cause_code: 'BACKUP_ERROR', reason: expect.stringMatching(/^backup failed: /) },
    });
    expect(store.read('user', 'relations', 'schema.yaml')).toBe(relationsYaml);
  });

  it('takes nobody with it who wrote at the same time', async () => {
    const bad = run([
      { op: 'data_insert', table: 'relations', data: edge('b') },
      { op: 'data_delete', id: 'ffff' },
    ]);
    const good = Array.from({ length: 20 }, (_, n) =>
      createRow(store, { table: 'relations', data: edge(`g${n}`) }, caller),
    );
    await expect(bad).rejects.toMatchObject({ code: 'BATCH_ABORTED' });
    await Promise.all(good);
    expect(database().rows.count()).toBe(20);
  });
});

describe('replace', () => {
  it.each([
    [{ strength: 1 }, ['b']],
    [{ strength: '1' }, ['b']],
    [{ strength: null }, ['a', 'c']],
    [{ from: 'persona-x', strength: 1 }, ['b']],
    [{ extra: true }, ['c']],
    [{ extra: 1 }, ['d']],
    [{ extra: 'true' }, [] as string[]],
  ])('%j matches by type', async (match, gone) => {
    const rows = [
      edge('a', { strength: null }),
      edge('b', { strength: 1 }),
      edge('c', { extra: true }),
      edge('d', { extra: 1, strength: 2 }),
    ];
    await run(rows.map((data) => ({ op: 'data_insert', table: 'relations', data })));
    const { affects } = await run([{ op: 'replace', table: 'relations', match, items: [] }]);
    expect(affects).toEqual({ deleted: gone.length, inserted: 0 });
    const left = ['a', 'b', 'c', 'd'].filter((to) => !gone.includes(to));
    expect((await list()).map((row) => row.to).sort()).toEqual(left);
  });
});

describe('a dry run', () => {
  it('tells what each op would do, and writes nothing', async () => {
    await run(['a', 'b'].map((to) => ({ op: 'data_insert', table: 'relations', data: edge(to) })));
    const before = store.files();
    const result = await run(
      [
        { op: 'replace', table: 'relations', match: { to: 'a' }, items: [edge('c'), edge('d')] },
        { op: 'query', sql: "DELETE FROM rows WHERE json_extract(data, '$.to') = 'd'" },
        { op: 'schema_update', scope: 'user', fields },
        { op: 'schema_delete', scope: 'user' },
      ],
      { dry_run: true },
    );
    expect(result).toMatchObject({
      committed: false,
      dry_run: true,
      ops_executed: 4,
      yaml_writes: [],
      backups_written: [],
      registry_rebuilt: false,
      affects: [
        { op: 'replace', match_keys: 1, items_count: 2, would_delete_estimate: 1, would_insert: 2, rows: 3 },
        { op: 'query', rows_affected: 1, rows: 1 },
        { op: 'schema_update', fields_added: ['title'], rows: 2, rows_unchanged: 2 },
        { op: 'schema_delete', rows_orphaned: 2, would_remove_yaml: store.path('user', 'relations', 'schema.yaml') },
      ],
    });
    expect(store.files()).toEqual(before);
  });

  it('of a new table makes no directory', async () => {
    const ops = [
      { op: 'create', table: 'notes', scope: 'project', fields },
      { op: 'data_insert', data: { title: 'a' } },
    ];
    expect(await run(ops, { dry_run: true })).toMatchObject({
      affects: [{ would_create: expect.any(String), fields_count: 1 }, { rows: 1 }],
    });
    expect(existsSync(store.path('project'))).toBe(false);
    expect(readdirSync(store.path('user'))).toEqual(['relations']);
  });
});
