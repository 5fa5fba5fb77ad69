import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAlias } from '../../src/ops/create-alias.js';
import { deleteAlias } from '../../src/ops/delete-alias.js';
import { parsePoint } from '../../src/ops/replay/point.js';
import { replayTo } from '../../src/ops/replay-to.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

let table: ScratchTable;

beforeEach(() => {
  table = new ScratchTable({ archive: { keepRecent: 3, chunkMin: 2 } });
});

afterEach(() => table.remove());

describe('replay', () => {
  it('writes a file with the table as it was, that proves itself', async () => {
    const id = await table.create({ title: 'x' });
    for (let count = 0; count < 12; count++) await table.update(id, { count });
    const then = table.contents();
    const { head } = await verifyTable(table.operated);
    await table.delete(id);
    const out = join(table.directory, 'then.db');
    expect(await replayTo(table.operated, { to: parsePoint('13'), out })).toEqual({
      table: 'notes',
      seq: 13,
      rows: 1,
      out,
    });
    const copy = { ...table.operated, database: { ...table.operated.database, path: out } };
    expect(await verifyTable(copy, { head })).toMatchObject({ ok: true, anchored: true, events: 13 });
    const other = new ScratchTable();
    Object.assign(other, { path: out });
    expect(other.contents()).toEqual(then);
    await other.remove();
    expect(readdirSync(table.directory).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  it('has the aliases of then, and those from before the log', async () => {
    await table.create({ title: 'x' });
    table.foreign(`INSERT INTO _aliases (name, filter) VALUES ('old', '{"type":"all"}')`);
    const filter = { type: 'eq', field: 'title', value: 'x' };
    await createAlias(table.store, { name: 'early', filter }, caller);
    await deleteAlias(table.store, { name: 'early' }, caller);
    await createAlias(table.store, { name: 'late', filter }, caller);
    const namesAt = async (to: string) => {
      const out = join(table.directory, `${to}.db`);
      await replayTo(table.operated, { to: parsePoint(to), out });
      const copy = new Database(out, { readonly: true });
      const names = copy.prepare('SELECT name FROM _aliases ORDER BY name').pluck().all();
      copy.close();
      return names;
    };
    expect(await namesAt('1')).toEqual(['old']);
    expect(await namesAt('2')).toEqual(['early', 'old']);
    expect(await namesAt('3')).toEqual(['old']);
    expect(await namesAt('4')).toEqual(['late', 'old']);
  });

  it('never touches a file that is there', async () => {
    await table.create({ title: 'x' });
    await expect(replayTo(table.operated, { to: parsePoint('1'), out: table.path })).rejects.toMatchObject({
      code: 'IO_ERROR',
    });
  });

  it('leaves nothing behind when it fails', async () => {
    await table.create({ title: 'x' });
    table.tamper(`UPDATE _events SET type = 'row.folded'`);
    const out = join(table.directory, 'then.db');
    await expect(replayTo(table.operated, { to: parsePoint('1'), out })).rejects.toMatchObject({
      code: 'UNKNOWN_EVENT',
    });
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(table.directory).filter((name) => name.startsWith('then'))).toEqual([]);
  });
});
