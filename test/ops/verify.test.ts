import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAlias } from '../../src/ops/create-alias.js';
import { deleteAlias } from '../../src/ops/delete-alias.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

let table: ScratchTable;
let first: string;
let second: string;

beforeEach(async () => {
  table = new ScratchTable({ archive: { keepRecent: 3, chunkMin: 2 } });
  first = await table.create({ title: 'first', body: 'x' });
  second = await table.create({ title: 'second' });
  for (let count = 0; count < 12; count++) await table.update(first, { count });
  await table.delete(second);
  await table.restore(second, 1);
  await table.create({ title: 'third' });
});

afterEach(() => table.remove());

async function differences(head?: { seq: number; hash: string }): Promise<Record<string, string | undefined>> {
  const result = await verifyTable(table.operated, { head });
  expect(result.ok).toBe(result.checks.every((check) => check.ok));
  return Object.fromEntries(
    result.checks.filter((check) => !check.ok).map((check) => [check.name, check.first_difference]),
  );
}

describe('a table that nobody tampered with', () => {
  it('is proven, and its head is told', async () => {
    const result = await verifyTable(table.operated);
    expect(result).toMatchObject({ ok: true, events: 17, anchored: null, head: { seq: 17 } });
    expect(result.head.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(result.checks.filter((check) => !check.ok)).toEqual([]);
  });

  it('contains a head that was kept, also after more was written', async () => {
    const { head } = await verifyTable(table.operated);
    await table.create({ title: 'more' });
    expect((await verifyTable(table.operated, { head })).anchored).toBe(true);
    const forged = { seq: head.seq, hash: '0'.repeat(64) };
    expect(await verifyTable(table.operated, { head: forged })).toMatchObject({ ok: false, anchored: false });
    expect(await differences({ seq: 99, hash: head.hash })).toEqual({ anchor: 'event 99 is not in the log' });
  });

  it('is proven when it is empty', async () => {
    const empty = new ScratchTable();
    expect(empty.database.head()).toBe(0);
    expect(await verifyTable(empty.operated)).toMatchObject({ ok: true, events: 0, head: { seq: 0 } });
    await empty.remove();
  });
});

describe('tampering with the log is named', () => {
  it('a changed body', async () => {
    table.tamper(`UPDATE _events SET body = '{"set":{"count":999}}' WHERE seq = 5`);
    expect(await differences()).toMatchObject({ chain: 'event 5 is not what its hash was made of' });
  });

  it.each(['actor', 'origin', 'at_ms', 'commit_no', 'outcome'])('a changed %s', async (column) => {
    table.tamper(`UPDATE _events SET ${column} = 1 WHERE seq = 5`);
    expect((await differences()).chain).toBe('event 5 is not what its hash was made of');
  });

  it('a removed event', async () => {
    table.tamper('DELETE FROM _events WHERE seq = 5');
    expect(await differences()).toMatchObject({
      chain: 'event 6 does not follow event 4',
      sequence: 'event 5 is missing',
    });
  });

  it('a cut tail', async () => {
    table.tamper('DELETE FROM _events WHERE seq > 15');
    expect((await differences()).sequence).toBe(
      'the newest event is 15, but 17 was given out: the end of the log is missing',
    );
  });

  it('a cut tail with the counter set back is found by a head kept elsewhere', async () => {
    const { head } = await verifyTable(table.operated);
    table.tamper(
      `DELETE FROM _events WHERE seq = 17; UPDATE sqlite_sequence SET seq = 16 WHERE name = '_events';
       DELETE FROM rows WHERE data LIKE '%third%'; DELETE FROM _row_history WHERE data_json LIKE '%third%'`,
    );
    expect(await differences()).toEqual({});
    expect(await differences(head)).toEqual({ anchor: 'event 17 is not in the log' });
  });

  it('an event of a later version stops the comparison, not the chain', async () => {
    table.tamper(`UPDATE _events SET type = 'row.folded' WHERE seq = 17`);
    const found = await differences();
    expect(found['known events']).toMatch(/^UNKNOWN_EVENT: event 17/);
    expect(found).not.toHaveProperty('rows');
  });
});

describe('tampering with a projection is named', () => {
  it('a changed row', async () => {
    table.tamper(`UPDATE rows SET data = '{"title":"forged"}' WHERE id = '${first}'`);
    expect(await differences()).toEqual({ rows: `row ${first} differs from the log (data)` });
  });

  it('a changed row that the triggers noted', async () => {
    table.foreign(`UPDATE rows SET updated_at = 5 WHERE id = '${first}'`);
    expect(await differences()).toEqual({
      rows: `row ${first} differs from the log (updated_at)`,
      'foreign writes': `1 noted and not recorded; the first: update of row ${first}`,
    });
  });

  it('a missing row and an extra one', async () => {
    table.tamper(`DELETE FROM rows WHERE id = '${first}'`);
    expect(await differences()).toEqual({ rows: `row ${first} is missing` });
    table.tamper(`INSERT INTO rows SELECT '${first}', data, 1, 1, 1 FROM rows LIMIT 1;
      INSERT INTO rows VALUES ('extra', '{}', 1, 1, 1)`);
    expect((await differences()).rows).toBe('row extra is not in the log');
  });

  it('rows in another order', async () => {
    table.tamper(`UPDATE rows SET rowid = 1000 WHERE id = '${first}'`);
    expect(Object.keys(await differences())).toEqual(['row order']);
  });

  it('a changed, a missing and an invented history entry', async () => {
    table.tamper(`UPDATE _row_history SET data_json = '{}' WHERE row_id = '${first}' AND version = 13`);
    expect(await differences()).toEqual({ 'row history': `row ${first}, version 13: data differ from the log` });
    table.tamper(`DELETE FROM _row_history WHERE row_id = '${first}' AND version = 13`);
    expect(await differences()).toEqual({ 'row history': `row ${first} has no entry for version 13` });
    table.tamper(
      `INSERT INTO _row_history (table_name, row_id, version, recorded_at, op) VALUES ('notes', 'x', 1, 1, 'create')`,
    );
    expect((await differences())['row history']).toBe('row x has an entry for version 1 that no event made');
  });

  it('a damaged chunk and one whose columns lie', async () => {
    expect(table.query('SELECT 1 FROM _row_history_archive')).not.toEqual([]);
    table.tamper(`UPDATE _row_history_archive SET entry_count = 9 WHERE version_start = 1`);
    expect(Object.keys(await differences())).toEqual(['archive']);
    table.tamper(`UPDATE _row_history_archive SET entry_count = 3, blob = x'00' WHERE version_start = 1`);
    expect(await differences()).toEqual({
      archive: `the archive chunk of row ${first}, versions 1 to 3, cannot be read`,
    });
  });
});

it('can be stopped, and says how far it is', async () => {
  const progress: number[] = [];
  await verifyTable(table.operated, { onProgress: ({ done }) => progress.push(done) });
  expect(progress.at(-1)).toBe(17);
  await expect(verifyTable(table.operated, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
    'enough',
  );
});

describe('aliases in a table of its own mode', () => {
  beforeEach(async () => {
    // The predecessor's, which the log does not tell.
    table.foreign(`INSERT INTO _aliases (name, filter) VALUES ('old', '{"type":"all"}')`);
    const filter = { type: 'eq', field: 'title', value: 'first' };
    await createAlias(table.store, { name: 'firsts', filter }, caller);
    await createAlias(table.store, { name: 'gone', filter }, caller);
    await deleteAlias(table.store, { name: 'gone' }, caller);
  });

  it('are proven', async () => {
    expect(await differences()).toEqual({});
  });

  it.each([
    [`UPDATE _aliases SET filter = '{}' WHERE name = 'firsts'`, 'firsts is missing or differs from the log'],
    [`DELETE FROM _aliases WHERE name = 'firsts'`, 'firsts is missing or differs from the log'],
    [`INSERT INTO _aliases (name, filter) VALUES ('gone', '{}')`, 'gone is not in the log as it is'],
  ])('show what was changed past the log: %s', async (sql, first) => {
    table.foreign(sql);
    expect(await differences()).toEqual({ aliases: first });
  });
});
