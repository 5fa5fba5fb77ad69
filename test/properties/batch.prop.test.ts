import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runBatch } from '../../src/ops/run-batch.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { caller, relationsYaml, ScopeStore } from '../ops/scope-store.js';

const name = fc.constantFrom('a', 'b', 'c');
const edge = fc.record({
  from: name,
  to: name,
  type: fc.constant('t'),
  ts: fc.nat(),
  strength: fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
});
const id = fc.constantFrom('1', '2', '3', '4');
const table = 'relations';
const insert = 'INSERT OR REPLACE INTO rows (id, data, created_at, updated_at) VALUES (?, ?, ?, ?)';

/** Ids are given, so that one by one and together make the same rows. */
const op = fc.oneof(
  fc
    .tuple(id, edge, fc.nat(9))
    .map(([key, data, at]) => ({ op: 'query', table, sql: insert, params: [key, data, at, at] })),
  fc.tuple(id, name).map(([key, to]) => ({
    op: 'query',
    table,
    sql: "UPDATE rows SET data = json_set(data, '$.to', ?) WHERE id = ?",
    params: [to, key],
  })),
  fc.tuple(id, id).map(([from, to]) => ({
    op: 'query',
    table,
    sql: 'UPDATE OR REPLACE rows SET id = ? WHERE id = ?',
    params: [to, from],
  })),
  name.map((from) => ({ op: 'replace', table, match: { from }, items: [] })),
  fc.constant({
    op: 'query',
    table,
    sql: 'DELETE FROM rows WHERE id IN (SELECT id FROM rows ORDER BY id LIMIT 1)',
    params: [],
  }),
);

async function withStore<T>(run: (store: ScopeStore) => Promise<T>): Promise<T> {
  const store = new ScopeStore();
  store.write(relationsYaml, 'user', table, 'schema.yaml');
  await store.registry.reload();
  return run(store).finally(() => store.dispose());
}

async function contents(store: ScopeStore) {
  const { rows, log, history } = store.registry.resolve(table).open();
  const events = await log.readAfter(0, 1000);
  const ids = await Promise.all(['1', '2', '3', '4'].map((key) => history.list(key)));
  return {
    rows: rows.list({ limit: 1000, offset: 0 }),
    events: events.map(({ seq, type, rowId, rowVersion, body }) => [seq, type, rowId, rowVersion, body]),
    history: ids.flat().map(({ rowId, version, op: made, data }) => [rowId, version, made, data]),
  };
}

it('a batch equals its ops one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 12 }), async (ops) => {
      const together = await withStore(async (store) => {
        await runBatch(store, { ops }, caller);
        return contents(store);
      });
      const alone = await withStore(async (store) => {
        for (const single of ops) await runBatch(store, { ops: [single] }, caller);
        return contents(store);
      });
      expect(together).toEqual(alone);
    }),
    propertyRuns(10),
  );
});

it('an aborted batch leaves every file byte for byte', async () => {
  const failing = fc.constantFrom(
    { op: 'data_delete', id: 'none' },
    { op: 'data_insert', data: { from: 1 } },
    { op: 'schema_create', scope: 'user', fields: [] },
    { op: 'query', sql: insert, params: ['9', [], 1, 1] },
  );
  const schemaOp = fc.constantFrom(
    [],
    [{ op: 'schema_update', scope: 'user', fields: [{ name: 'from', type: 'string' }] }],
  );
  await withStore(async (store) => {
    const seed = { op: 'query', table, sql: insert, params: ['keep', { from: 'z', to: 'z', type: 't', ts: 1 }, 1, 1] };
    await runBatch(store, { ops: [seed, { ...seed, params: ['1', ...seed.params.slice(1)] }] }, caller);
    const before = store.files();
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 6 }), schemaOp, failing, async (ops, schemaOps, last) => {
        const ended = runBatch(store, { table, ops: [...schemaOps, ...ops, last] }, caller);
        await expect(ended).rejects.toMatchObject({ code: 'BATCH_ABORTED' });
        expect(store.files()).toEqual(before);
      }),
      propertyRuns(15),
    );
  });
});
