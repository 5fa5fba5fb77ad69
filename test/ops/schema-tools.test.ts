import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRow } from '../../src/ops/create-row.js';
import { createSchema } from '../../src/ops/create-schema.js';
import { deleteSchema } from '../../src/ops/delete-schema.js';
import { describeTable } from '../../src/ops/describe-table.js';
import { listRows } from '../../src/ops/list-rows.js';
import { updateRow } from '../../src/ops/update-row.js';
import { updateSchema } from '../../src/ops/update-schema.js';
import { caller, ScopeStore } from './scope-store.js';

let store: ScopeStore;

beforeEach(() => {
  store = new ScopeStore();
});

afterEach(() => store.dispose());

const title = { name: 'title', type: 'string', required: true };
const body = { name: 'body', type: 'string', description: 'The text' };
const notes = { table: 'notes', scope: 'user', fields: [title, body] } as const;
const create = (more: object = {}) => createSchema(store, { ...notes, ...more }, caller);
const update = (more: object = {}) => updateSchema(store, { ...notes, ...more }, caller);
const add = (data: object) => createRow(store, { table: 'notes', data }, caller);
const backups = () =>
  existsSync(store.path('user', '_backup')) ? readdirSync(store.path('user', '_backup')).sort() : [];

describe('schema_create', () => {
  it('writes the file, records the change and mounts the table', async () => {
    const path = store.path('user', 'notes', 'schema.yaml');
    expect(await create({ title: 'Notes' })).toEqual({ created: 'notes', schema_path: path, scope: 'user' });
    await add({ title: 'a' });
    expect(await describeTable(store, { table: 'notes' })).toMatchObject({
      title: 'Notes',
      rows: 1,
      fields: [{}, { description: 'The text' }],
    });
    const text = store.read('user', 'notes', 'schema.yaml');
    expect(text).toMatch(/^table: notes\ntitle: Notes\ndescription: null\nfields:/);
    expect(await store.schemaEvents('notes')).toEqual([{ before: null, after: text, scope: 'user', origin: 'test' }]);
    expect(readdirSync(store.path('user', 'notes')).filter((name) => !name.startsWith('notes.db'))).toEqual([
      'schema.yaml',
    ]);
  });

  it('refuses a table that is there, before it looks at the field types', async () => {
    await create();
    const again = create({ fields: [{ name: 'x', type: 'text' }] });
    await expect(again).rejects.toMatchObject({ code: 'SCHEMA_EXISTS', fields: { table: 'notes' } });
  });

  it.each(['../escape', '/abs/path', '.', '..', '.hidden', 'a/b', 'a\\b', '', 'con'])(
    'refuses the name %j, also in a dry run',
    async (table) => {
      for (const dry_run of [false, true]) {
        await expect(create({ table, dry_run })).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
          fields: { field: 'table' },
        });
      }
      expect(store.files()).toEqual({});
    },
  );

  it.each([
    [{ fields: [{ name: 'x', type: 'text' }] }, 'fields[x].type'],
    [{ fields: [title, title] }, 'fields[title].name'],
    [{ fields: [{ name: '', type: 'string' }] }, 'fields[0].name'],
    [{ fields: [{ name: 'a', type: 'string', requird: true }] }, 'fields[0].requird'],
    [{ fields: 'none' }, 'fields'],
    [{ history: 'some' }, 'history'],
    [{ dump: { folder: 'x' } }, 'dump.folder'],
    [{ indexes: ['nothing'] }, 'indexes'],
    [{ fields: [{ name: 'o', type: 'object' }], indexes: ['o'] }, 'indexes'],
  ])('refuses %j and leaves nothing behind', async (more, field) => {
    await expect(create(more)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', fields: { field } });
    expect(readdirSync(store.path('user'))).toEqual([]);
  });

  it('refuses a name that differs in letter case only', async () => {
    await create();
    await expect(create({ table: 'Notes' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: { field: 'table' },
    });
  });

  it('says in a dry run what it would do, and writes nothing', async () => {
    const path = store.path('user', 'notes', 'schema.yaml');
    const fields = { rows: 0, fields_count: 2, fields_added: ['body', 'title'], fields_removed: [] };
    expect(await create({ dry_run: true })).toEqual({
      dry_run: true,
      affects: { would_create: path, already_exists: false, ...fields },
    });
    expect(readdirSync(store.path('user'))).toEqual([]);
    await create();
    expect(await create({ dry_run: true })).toMatchObject({ affects: { already_exists: true } });
  });

  it('takes a scope that is switched off for a configuration error', async () => {
    const other = new ScopeStore({ environment: { MINI_APP_PROJECT_DIR: '' } });
    const call = createSchema(other, { ...notes, scope: 'project' }, caller);
    await expect(call).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
    await other.dispose();
  });

  it('cannot make a directory where a file stands', async () => {
    writeFileSync(store.path('user', 'notes'), '');
    await expect(create()).rejects.toMatchObject({ code: 'IO_ERROR' });
  });
});

describe('schema_update', () => {
  const dump = { dir: 'out', title_field: null, body_field: null, sync: null };

  it('backs up, keeps dump, history and indexes, and tells the difference', async () => {
    await create({ title: 'Notes', dump: { dir: 'out' }, history: 'off', indexes: ['title', 'body'] });
    const before = store.read('user', 'notes', 'schema.yaml');
    const changed = await update({ fields: [title, { name: 'count', type: 'number' }] });
    expect(changed).toMatchObject({
      updated: 'notes',
      fields_added: ['count'],
      fields_removed: ['body'],
      fields_type_changed: [],
    });
    const { schema } = store.registry.resolve('notes');
    expect(schema).toMatchObject({ title: null, dump, history: 'off', indexes: ['title'] });
    const second = store.time / 1000;
    expect(backups()).toEqual([`notes.${second}.db`, `notes.${second}.yaml`]);
    expect(store.read('user', '_backup', `notes.${second}.yaml`)).toBe(before);
    expect(await update({ dump: null, history: 'full', indexes: [] })).toMatchObject({ fields_added: ['body'] });
    expect(store.registry.resolve('notes').schema).toMatchObject({ dump: null, history: 'full' });
    expect(await store.schemaEvents('notes')).toHaveLength(3);
  });

  it('keeps the comments of a file that somebody wrote, its name in the history, and a link', async () => {
    store.write(
      '# Mine\ntable: old-name\nfields:\n  # the title\n  - { name: title, type: string, required: true } # yes\n',
      'elsewhere.yaml',
    );
    mkdirSync(store.path('user', 'notes'), { recursive: true });
    symlinkSync(store.path('elsewhere.yaml'), store.path('user', 'notes', 'schema.yaml'));
    await store.registry.reload();
    await update();
    expect(store.read('elsewhere.yaml')).toMatch(/^# Mine\ntable: old-name\n[\s\S]*# the title\n[\s\S]*# yes\n/);
    expect(store.registry.resolve('notes').schema).toMatchObject({ table: 'old-name', fields: [{}, { name: 'body' }] });
  });

  it('keeps as many backups as asked for', async () => {
    const few = new ScopeStore({ directory: store.directory, environment: { MINI_APP_BACKUP_RETENTION: '2' } });
    await createSchema(few, notes, caller);
    for (const name of ['a', 'b', 'c', 'd']) {
      few.time += 1000;
      await updateSchema(few, { ...notes, fields: [{ name, type: 'string' }] }, caller);
    }
    expect(backups()).toHaveLength(4);
    await few.close();
  });

  it('changes nothing when the backup cannot be written', async () => {
    await create();
    await add({ title: 'a' });
    store.write('', 'user', '_backup');
    const before = store.files();
    await expect(update({ fields: [] })).rejects.toMatchObject({ code: 'BACKUP_ERROR' });
    await expect(deleteSchema(store, { table: 'notes', scope: 'user' }, caller)).rejects.toMatchObject({
      code: 'BACKUP_ERROR',
    });
    expect(store.files()).toEqual(before);
  });

  it('needs a table of that scope', async () => {
    await expect(update()).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    await create();
    await expect(update({ scope: 'project' })).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    await expect(update({ fields: [{ name: 'x', type: 'text' }] })).rejects.toMatchObject({
      fields: { field: 'fields[x].type' },
    });
    expect(backups()).toEqual([]);
  });

  it('reaches a table that the other scope hides', async () => {
    await create();
    await create({ scope: 'project', fields: [title] });
    await update({ fields: [] });
    expect(store.registry.resolve('notes').schema.fields).toHaveLength(1);
    expect(store.read('user', 'notes', 'schema.yaml')).toContain('fields: []');
  });

  it('says in a dry run what it would do', async () => {
    await create();
    await add({ title: 'a' });
    const before = store.files();
    expect(await update({ fields: [{ name: 'title', type: 'number' }], dry_run: true })).toEqual({
      dry_run: true,
      affects: {
        fields_added: [],
        fields_removed: ['body'],
        fields_type_changed: ['title'],
        rows: 1,
        rows_unchanged: 1,
      },
    });
    expect(store.files()).toEqual(before);
  });

  it('switches the history on and off', async () => {
    await create();
    const { id } = await add({ title: 'a' });
    await update({ history: 'off' });
    await updateRow(store, { table: 'notes', id, data: { title: 'b' } }, caller);
    await update({ history: 'full' });
    await updateRow(store, { table: 'notes', id, data: { title: 'c' } }, caller);
    const entries = await store.registry.resolve('notes').open().history.list(id);
    expect(entries.map((entry) => [entry.version, JSON.parse(entry.data ?? '').title])).toEqual([
      [1, 'a'],
      [3, 'c'],
    ]);
  });
});

describe('schema_delete', () => {
  it('unmounts the table and keeps its database, and schema_create finds it again', async () => {
    await create();
    await add({ title: 'a' });
    const database = store.path('user', 'notes', 'notes.db');
    const affects = {
      rows_orphaned: 1,
      rows: 1,
      db_file_retained: database,
      fields_removed: ['body', 'title'],
      fields_added: [],
    };
    expect(await deleteSchema(store, { table: 'notes', scope: 'user', dry_run: true }, caller)).toMatchObject({
      affects,
    });
    const path = store.path('user', 'notes', 'schema.yaml');
    expect(await deleteSchema(store, { table: 'notes', scope: 'user' }, caller)).toEqual({
      deleted: 'notes',
      schema_path_removed: path,
      db_file_retained: database,
      scope: 'user',
    });
    expect([existsSync(path), existsSync(database), backups().length]).toEqual([false, true, 2]);
    await expect(listRows(store, { table: 'notes' })).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
    await create();
    expect(await listRows(store, { table: 'notes' })).toHaveLength(1);
    expect((await store.schemaEvents('notes')).map(({ before, after }) => [before === null, after === null])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });
});

describe('a schema.yaml that is edited by hand', () => {
  it('is recorded when the table is opened again', async () => {
    await create();
    const before = store.read('user', 'notes', 'schema.yaml');
    const after = `${before}# edited\n`;
    store.write(after, 'user', 'notes', 'schema.yaml');
    await store.registry.reload();
    await add({ title: 'a' });
    expect((await store.schemaEvents('notes'))[1]).toEqual({ before, after, scope: 'user', origin: 'schema-file' });
    await store.registry.reload();
    expect(await store.schemaEvents('notes')).toHaveLength(2);
  });

  it('makes and drops indexes as it says', async () => {
    await create({ indexes: ['title'] });
    const indexes = () => {
      const database = new Database(store.path('user', 'notes', 'notes.db'), { readonly: true });
      const found = database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'idx_rows_field_%'").all();
      database.close();
      return found.length;
    };
    expect(indexes()).toBe(1);
    await update({ indexes: ['title', 'body'] });
    expect(indexes()).toBe(2);
    store.write('table: notes\nfields: [{ name: title, type: string }]\n', 'user', 'notes', 'schema.yaml');
    await store.registry.reload();
    expect(indexes()).toBe(0);
  });
});

describe('a change that a crash interrupted', () => {
  const journal = (seq: number) => ({
    path: store.path('user', 'notes', 'schema.yaml'),
    before: 'table: notes\nfields: []\n',
    after: 'table: notes\nfields: [{ name: x, type: string }]\n',
    seq,
    bodyDigest: 'unknown',
  });
  const name = '.schema-change-00000000-0000-0000-0000-000000000000.json';

  it.each([1, 99])('is undone when the log does not have it (event %i)', async (seq) => {
    await create();
    const { after, before } = journal(seq);
    store.write(after, 'user', 'notes', 'schema.yaml');
    store.write(JSON.stringify(journal(seq)), 'user', 'notes', name);
    await store.registry.reload();
    expect(store.read('user', 'notes', 'schema.yaml')).toBe(before);
    expect(existsSync(join(store.path('user', 'notes'), name))).toBe(false);
  });

  it('leaves a file alone that was edited since', async () => {
    await create();
    const text = store.read('user', 'notes', 'schema.yaml');
    store.write(JSON.stringify(journal(99)), 'user', 'notes', name);
    await store.registry.reload();
    expect(store.read('user', 'notes', 'schema.yaml')).toBe(text);
  });
});
