/** What goes wrong around the program: a clear error, the rest goes on, nothing is lost, the next good call works. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { expectWhole, query } from './proof.js';
import { issuesSchema, Server, writeTable } from './server.js';

let directory: string;
let user: string;
let server: Server;

beforeEach(() => {
  directory = newDir();
  user = join(directory, 'user');
});

afterEach(async () => {
  await server.stop();
  removeDir(directory);
});

const create = (title: string, table = 'issues', more: object = {}) =>
  server.call('create', { table, data: { title, ...more } });

describe('a broken table', () => {
  test.each([
    [
      'an unreadable schema.yaml',
      'IO_ERROR',
      (dir: string) => mkdirSync(join(dir, 'schema.yaml'), { recursive: true }),
    ],
    ['a malformed schema.yaml', 'SCHEMA_ERROR', (dir: string) => writeFileSync(join(dir, 'schema.yaml'), 'table: [')],
    [
      'a file that is no database',
      'STORAGE_ERROR',
      (dir: string) => writeFileSync(join(dir, 'broken.db'), 'dear diary, hello'),
    ],
  ])('with %s is skipped and named; the others are served, and it is when it is mended', async (_name, code, spoil) => {
    writeTable(user);
    const broken = join(user, 'broken');
    mkdirSync(broken);
    if (code === 'STORAGE_ERROR') writeFileSync(join(broken, 'schema.yaml'), issuesSchema);
    spoil(broken);
    server = new Server(directory);
    expect((await create('fine')).isError).toBe(false);
    const info = await server.do('info', { table: 'issues' });
    expect(info.failed).toMatchObject([{ table: 'broken', scope: 'user', code }]);
    expect(await create('x', 'broken')).toMatchObject({
      isError: true,
      body: { code: 'TABLE_NOT_FOUND', hint: expect.stringContaining('reload') },
    });
    rmSync(broken, { recursive: true });
    writeTable(user, 'broken');
    expect(await server.do('reload')).toMatchObject({ mounted: 2, added: ['broken'], failed: [] });
    expect((await create('x', 'broken')).isError).toBe(false);
  });

  test('whose database was cut short says so at every call, the others go on', async () => {
    const path = writeTable(user, 'cut');
    writeTable(user);
    server = new Server(directory);
    for (const text of ['a', 'b', 'c']) await create(text.repeat(3000), 'cut');
    await server.stop();
    truncateSync(path, 6000);
    server = new Server(directory);
    for (const tool of ['list', 'info']) {
      const { isError, body, text } = await server.call(tool, { table: 'cut' });
      expect([isError, body.code]).toEqual([true, 'STORAGE_ERROR']);
      expect(text).not.toContain(directory);
    }
    expect((await create('fine')).isError).toBe(false);
  });
});

test('a foreign write is seen, counted by info and recorded with the next change', async () => {
  const path = writeTable(user);
  server = new Server(directory);
  const { body } = await create('ours');
  query(path, `UPDATE rows SET data = '{"title":"theirs"}' WHERE id = ? RETURNING id`, body.id);
  expect(await server.do('get', { table: 'issues', id: body.id })).toMatchObject({ data: { title: 'theirs' } });
  expect(await server.do('info', { table: 'issues' })).toMatchObject({ status: { foreign_writes: 1 } });
  const updated = await server.do('update', { table: 'issues', id: body.id, data: { points: 1 } });
  expect(updated).toMatchObject({ data: { title: 'theirs', points: 1 }, version: 3 });
  await expectWhole(path);
});

test('Markdown that cannot be written holds one call up, shows in info, and is caught up with when it can be', async () => {
  writeTable(user, 'issues', `${issuesSchema}dump: { dir: .mini-app/md }\n`);
  const blocked = join(directory, '.mini-app', 'md');
  mkdirSync(join(directory, '.mini-app'));
  writeFileSync(blocked, 'in the way');
  server = new Server(directory);
  await create('first');
  const asked = Date.now();
  for (const title of ['second', 'third', 'fourth']) expect((await create(title)).isError).toBe(false);
  expect(Date.now() - asked).toBeLessThan(1_500);
  expect(await server.do('info', { table: 'issues' })).toMatchObject({
    status: { followers: [{ lag: 4, state: 'retrying', last_error: expect.stringContaining('IO_ERROR') }] },
  });
  rmSync(blocked);
  const files = () => (existsSync(blocked) ? readdirSync(blocked).length : 0);
  await expect.poll(files, { timeout: 15_000 }).toBe(4);
  await create('fifth');
  expect(files()).toBe(5);
});

test('a deleted dump directory is made again', async () => {
  const dir = join(directory, 'notes');
  const path = writeTable(user, 'issues', `${issuesSchema}dump: { dir: ${dir}, body_field: state }\n`);
  server = new Server(directory);
  await create('one');
  expect(readdirSync(dir)).toHaveLength(1);
  rmSync(dir, { recursive: true });
  const { body } = await create('two');
  expect(readFileSync(join(dir, `${body.id}.md`), 'utf8')).toContain('# two\n');
  expect(query(path, 'SELECT count(*) AS n FROM rows')).toEqual([{ n: 2 }]);
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/bin/mount');

describe.skipIf(!canMount)('with a file system of its own (needs root to mount one)', () => {
  test('a full disk refuses what does not fit, and takes writes again when there is room', async () => {
    mkdirSync(user);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', user]);
    try {
      await fillDisk();
    } finally {
      await server.stop();
      execFileSync('umount', ['-l', user]);
    }
  });

  async function fillDisk(): Promise<void> {
    const path = writeTable(user);
    server = new Server(directory);
    const written: string[] = [];
    let refused: Record<string, unknown> | null = null;
    for (let at = 0; at < 30 && refused === null; at++) {
      const { isError, body } = await create(`row ${at}`, 'issues', { state: 'x'.repeat(200_000) });
      if (isError) refused = body;
      else written.push(String(body.id));
    }
    expect(refused).toMatchObject({ code: 'STORAGE_ERROR', message: 'storage error: the disk is full' });
    expect(written.length).toBeGreaterThan(0);
    for (const id of written) expect(await server.do('get', { table: 'issues', id })).toMatchObject({ id });
    execFileSync('mount', ['-o', 'remount,size=20m', user]);
    expect((await create('there is room')).isError).toBe(false);
    await server.stop();
    await expectWhole(path);
    expect(query(path, 'SELECT count(*) AS n FROM rows')).toEqual([{ n: written.length + 1 }]);
  }

  test('a table that may not be written is read, and says that it may not be written', async () => {
    const path = writeTable(user);
    server = new Server(directory);
    const { body } = await create('before');
    await server.stop();
    execFileSync('mount', ['--bind', user, user]);
    execFileSync('mount', ['-o', 'remount,ro,bind', user]);
    const unmount = () => void execFileSync('umount', ['-l', user]);
    try {
      server = new Server(directory);
      expect(await server.do('get', { table: 'issues', id: body.id })).toMatchObject({ data: { title: 'before' } });
      expect(await server.do('info', { table: 'issues' })).toMatchObject({ rows: 1 });
      expect(await create('no')).toMatchObject({ isError: true, body: { code: 'TABLE_READ_ONLY', table: 'issues' } });
      await server.stop();
    } finally {
      unmount();
    }
    server = new Server(directory);
    expect((await create('after')).isError).toBe(false);
    await expectWhole(path);
  });
});
