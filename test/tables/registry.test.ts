import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';

let directory: string;
let registry: TableRegistry | null = null;
let logged: string[];

beforeEach(() => {
  directory = newDir();
  logged = [];
});

afterEach(async () => {
  await registry?.close();
  registry = null;
  removeDir(directory);
});

function write(path: string, text: string): void {
  mkdirSync(join(directory, path, '..'), { recursive: true });
  writeFileSync(join(directory, path), text);
}

const schema = (table: string, more = '') => `table: ${table}\nfields: [{ name: title, type: string }]\n${more}`;

function mount(environment: Record<string, string> = {}): TableRegistry {
  const scopes = { MINI_APP_USER_DIR: join(directory, 'user'), MINI_APP_PROJECT_DIR: join(directory, 'project') };
  const config = loadConfig({ ...scopes, ...environment }, directory);
  const log = (_level: string, message: string) => void logged.push(message);
  registry = TableRegistry.mount({ config, session: 's', now: Date.now, log });
  return registry;
}

const names = (mounted: TableRegistry) => mounted.tables().map(({ name, scope }) => `${scope}/${name}`);

describe('a table that is asked for wrongly', () => {
  test('without a name, or by one that is not there', () => {
    write('user/notes/schema.yaml', schema('notes'));
    const mounted = mount();
    expect(() => mounted.resolve(undefined)).toThrow(
      expect.objectContaining({ code: 'TABLE_REQUIRED', fields: { tables: ['notes'] } }),
    );
    expect(() => mounted.resolve('note')).toThrow(
      expect.objectContaining({ code: 'TABLE_NOT_FOUND', hint: expect.stringContaining('notes') }),
    );
  });

  test('that could not be mounted: the hint says why', () => {
    write('user/bad/schema.yaml', 'table: [');
    const mounted = mount();
    expect(() => mounted.resolve('bad')).toThrow(
      expect.objectContaining({ code: 'TABLE_NOT_FOUND', hint: expect.stringContaining('schema') }),
    );
    expect(mounted.failed()).toMatchObject([{ table: 'bad', scope: 'user', code: 'SCHEMA_ERROR' }]);
    expect(logged.join()).toContain('bad is skipped');
  });

  test('of legacy mode stops the start when it is broken', () => {
    write('schema.yaml', 'table: [');
    expect(() => mount({ MINI_APP_DB: join(directory, 'data.db') })).toThrow(
      expect.objectContaining({ code: 'SCHEMA_ERROR' }),
    );
  });
});

describe('a table of the project that comes later', () => {
  const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

  test('takes the place of the user’s of its name without a reload', async () => {
    write('user/notes/schema.yaml', schema('notes'));
    const mounted = mount();
    expect(mounted.resolve('notes').scope).toBe('user');
    write('project/notes/schema.yaml', schema('notes'));
    await soon();
    expect(mounted.resolve('notes').scope).toBe('project');
    rmSync(join(directory, 'project', 'notes'), { recursive: true });
    await soon();
    expect(mounted.resolve('notes').scope).toBe('user');
  });

  test('takes no place when it is broken, which is told once', async () => {
    write('user/notes/schema.yaml', schema('notes'));
    const mounted = mount();
    mounted.resolve('notes');
    write('project/notes/schema.yaml', 'table: [');
    for (let count = 0; count < 3; count++) {
      await soon();
      expect(mounted.resolve('notes').scope).toBe('user');
    }
    expect(logged.filter((line) => line.includes('notes is skipped'))).toHaveLength(1);
  });
});

describe('scanning', () => {
  test('takes directories with a schema.yaml, sorted; the user directory is made, the project’s is not', () => {
    write('project/b/schema.yaml', schema('b'));
    write('project/a/schema.yaml', schema('a'));
    write('project/none/other.yaml', schema('none'));
    write('project/file', '');
    expect(names(mount())).toEqual(['project/a', 'project/b']);
    rmSync(join(directory, 'project'), { recursive: true });
    expect(() => writeFileSync(join(directory, 'user', 'x'), '')).not.toThrow();
  });

  test('lets a project’s table stand for the user’s, wholly', () => {
    write('user/notes/schema.yaml', schema('notes', 'title: the user’s\n'));
    write('project/notes/schema.yaml', schema('notes'));
    const table = mount().resolve('notes');
    expect([table.scope, table.schema.title]).toEqual(['project', null]);
  });

  test('refuses names that differ in letter case only', () => {
    write('user/notes/schema.yaml', schema('notes'));
    write('project/Notes/schema.yaml', schema('Notes'));
    const mounted = mount();
    expect(names(mounted)).toEqual(['user/notes']);
    expect(mounted.failed()).toMatchObject([{ table: 'Notes', code: 'VALIDATION_ERROR' }]);
  });

  test('a legacy table is the default and stands beside directories that are asked for', () => {
    write('user/notes/schema.yaml', schema('notes'));
    write('schema.yaml', schema('one'));
    const mounted = mount({ MINI_APP_DB: join(directory, 'data.db') });
    expect(mounted.resolve(undefined)).toBe(mounted.resolve('one'));
    expect(names(mounted)).toEqual(['user/notes', 'legacy/one']);
  });
});

test('a reload keeps what is unchanged, also open, and replaces what is not', async () => {
  for (const name of ['same', 'changed', 'gone']) write(`user/${name}/schema.yaml`, schema(name));
  const mounted = mount();
  const [same, changed] = [mounted.resolve('same'), mounted.resolve('changed')];
  const opened = [same.open(), changed.open()];
  write('user/changed/schema.yaml', schema('changed', 'title: new\n'));
  write('user/fresh/schema.yaml', schema('fresh'));
  rmSync(join(directory, 'user/gone'), { recursive: true });
  expect(await mounted.reload()).toEqual({ mounted: 3, added: ['fresh'], removed: ['gone'], failed: [] });
  expect(mounted.resolve('same').open()).toBe(opened[0]);
  expect(mounted.resolve('changed').schema.title).toBe('new');
  // A call that began before goes on with the table it had.
  expect(opened[1]?.rows.count()).toBe(0);
});

test('the table of legacy mode takes the name of another with a warning', () => {
  write('user/notes/schema.yaml', schema('notes'));
  write('schema.yaml', schema('notes'));
  const mounted = mount({ MINI_APP_DB: join(directory, 'notes.db') });
  expect(names(mounted)).toEqual(['legacy/notes']);
  expect(logged.join()).toContain('notes');
});

test('a scope that cannot be read is told, and the other one is mounted', async () => {
  write('project', 'a file');
  const mounted = mount();
  const failed = [{ table: '*', scope: 'project', code: 'IO_ERROR', message: expect.stringContaining('(ENOTDIR)') }];
  expect(mounted.failed()).toEqual(failed);
  expect(logged.join()).toContain('the directory of the project scope cannot be read');
  expect(() => mounted.resolve(undefined)).toThrow(
    expect.objectContaining({ code: 'TABLE_REQUIRED', hint: expect.stringContaining('cannot be read') }),
  );
  write('user/notes/schema.yaml', schema('notes'));
  expect(await mounted.reload()).toMatchObject({ mounted: 1, failed });
  expect(logged.join()).not.toContain(directory);
});

test('a table whose directory somebody removed is not found, open or not', () => {
  for (const name of ['open', 'closed', 'kept']) write(`user/${name}/schema.yaml`, schema(name));
  const mounted = mount();
  mounted.resolve('open').open();
  mounted.resolve('kept').open();
  for (const name of ['open', 'closed']) rmSync(join(directory, 'user', name), { recursive: true });
  for (const name of ['open', 'closed']) {
    expect(() => mounted.resolve(name)).toThrow(expect.objectContaining({ code: 'TABLE_NOT_FOUND' }));
  }
  expect(names(mounted)).toEqual(['user/kept']);
});
