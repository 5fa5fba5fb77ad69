import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rebuildDump } from '../../src/ops/rebuild-dump.js';
import { ScratchTable } from './scratch-table.js';

let table: ScratchTable;

beforeEach(() => {
  table = new ScratchTable();
});

afterEach(() => table.remove());

const settings = { dir: 'notes', title_field: null, body_field: null, sync: null };
const rebuild = (dump: typeof settings | null) =>
  rebuildDump(
    { ...table.operated, schema: { ...table.operated.schema, dump } },
    { scope: 'user', scopeRoot: table.directory, cwd: table.directory },
  );

describe('rebuild --projection dump', () => {
  it('says that a table without dump has no files', async () => {
    await expect(rebuild(null)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', fields: { field: 'dump' } });
  });

  it('writes the files of all live rows, mends what was changed, and keeps those of deleted rows', async () => {
    const ids = [];
    for (let count = 0; count < 130; count++) ids.push(await table.create({ title: `row ${count}`, body: 'text\n' }));
    const [changed, removed] = ids;
    const file = (id: string | undefined) => join(table.directory, 'notes', `${id}.md`);
    expect(await rebuild(settings)).toEqual({ table: 'notes', files: 130 });
    writeFileSync(file(changed), 'something else');
    await table.delete(removed ?? '');
    expect(await rebuild(settings)).toEqual({ table: 'notes', files: 129 });
    expect(readFileSync(file(changed), 'utf8')).toBe('# row 0\n\ntext\n');
    expect(existsSync(file(removed))).toBe(true);
  });

  it('brings a deleted directory back', async () => {
    const id = await table.create({ title: 'a' });
    await rebuild(settings);
    rmSync(join(table.directory, 'notes'), { recursive: true });
    await rebuild(settings);
    expect(existsSync(join(table.directory, 'notes', `${id}.md`))).toBe(true);
  });
});
