/** Rulings that show only in the built program: what one process answered, the next one answers too. */
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { predecessorDatabase } from '../helpers/predecessor.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { environment, issuesSchema, program, Server, writeTable } from './server.js';

const stopped: Server[] = [];
const directories: string[] = [];

afterEach(async () => {
  await Promise.all(stopped.splice(0).map((server) => server.stop()));
  for (const directory of directories.splice(0)) removeDir(directory);
});

function home(): string {
  const directory = newDir();
  directories.push(directory);
  return directory;
}

function serve(directory: string): Server {
  const server = new Server(directory, environment(directory));
  stopped.push(server);
  return server;
}

const old = '0a000000-0000-4000-8000-000000000001';

describe('a row that was adopted without a history', () => {
  async function adopted(): Promise<Server> {
    const directory = home();
    const database = predecessorDatabase(writeTable(join(directory, 'user')));
    database.prepare('INSERT INTO rows VALUES (?, ?, 5, 6)').run(old, '{"title":"first"}');
    database.close();
    const server = serve(directory);
    expect(await server.do('get', { table: 'issues', id: old })).toMatchObject({ version: 0 });
    return server;
  }

  it('is changed under the version that it is shown with', async () => {
    const server = await adopted();
    const first = { table: 'issues', id: old, data: { title: 'second' }, expected_version: 0 };
    expect(await server.do('update', first)).toMatchObject({ version: 1 });
    expect((await server.call('update', first)).body).toMatchObject({ code: 'VERSION_CONFLICT', actual: 1 });
  });

  it('is changed by a batch under that version, and brought back to it', async () => {
    const server = await adopted();
    const op = { op: 'data_update', id: old, data: { title: 'second' }, expected_version: 0 };
    await server.do('schema_batch', { table: 'issues', ops: [op] });
    const restored = await server.do('row_restore', { table: 'issues', id: old, version: 0 });
    expect(restored).toMatchObject({ data: { title: 'first' }, version: 2, created_at: 5 });
  });
});

it('a new row is made under the version 0 only, which every row has before it is there', async () => {
  const directory = home();
  writeTable(join(directory, 'user'));
  const server = serve(directory);
  const create = (version: unknown) =>
    server.call('create', { table: 'issues', data: { title: 'new' }, expected_version: version });
  expect((await create(0)).body).toMatchObject({ version: 1 });
  for (const version of [1, -1, '0', 0.5])
    expect((await create(version)).body).toMatchObject({
      kind: 'input',
      message: expect.stringContaining('must be 0 or left out'),
    });
});

describe('a repeated idempotency key', () => {
  it('is answered by every writing tool after a restart', async () => {
    const directory = home();
    writeTable(join(directory, 'user'));
    writeTable(join(directory, 'user'), 'gone');
    const first = serve(directory);
    const { id } = await first.do('create', { table: 'issues', data: { title: 'a\nb' } });
    const calls: [string, Record<string, unknown>][] = [
      ['create', { table: 'issues', data: { title: 'new' } }],
      ['update', { table: 'issues', id, data: { state: 'open' } }],
      ['content_replace', { table: 'issues', id, field: 'title', old_str: 'a', new_str: 'A' }],
      ['content_insert', { table: 'issues', id, field: 'title', line: 0, content: 'top' }],
      ['delete', { table: 'issues', id }],
      ['row_restore', { table: 'issues', id, version: 2 }],
      ['schema_batch', { table: 'issues', ops: [{ op: 'data_insert', data: { title: 'batch' } }] }],
      ['schema_batch', { ops: [{ op: 'create', table: 'fresh', scope: 'user', fields: [] }] }],
      ['schema_batch', { ops: [{ op: 'schema_delete', table: 'gone', scope: 'user' }] }],
    ];
    const keyed = calls.map(([tool, args], at) => [tool, { ...args, idempotency_key: `key-${at}` }] as const);
    const answers = [];
    for (const [tool, args] of keyed) answers.push(await first.do(tool, args));
    await first.stop();

    const second = serve(directory);
    for (const [at, [tool, args]] of keyed.entries()) {
      const { registry_rebuilt: _, backups_written: __, ...kept } = answers[at] ?? {};
      expect(await second.do(tool, args), tool).toMatchObject({ ...kept, replayed: true });
    }
    const [, update] = keyed[1] ?? [];
    expect((await second.call('delete', { ...update, data: undefined })).body.code).toBe('IDEMPOTENCY_CONFLICT');
  }, 20_000);

  it('of a batch on a table that is not there is still refused', async () => {
    const directory = home();
    writeTable(join(directory, 'user'));
    const server = serve(directory);
    const ops = [{ op: 'schema_delete', table: 'issues', scope: 'user' }];
    await server.do('schema_batch', { ops });
    const again = await server.call('schema_batch', { ops, idempotency_key: 'new' });
    expect(again.body).toMatchObject({ code: 'TABLE_NOT_FOUND', table: 'issues' });
  });
});

describe('links below a scope directory', () => {
  it('are followed to tables that lie elsewhere', async () => {
    const directory = home();
    const elsewhere = home();
    writeTable(join(directory, 'user'));
    writeTable(elsewhere, 'linked');
    symlinkSync(join(elsewhere, 'linked'), join(directory, 'user', 'linked'));
    const server = serve(directory);
    expect(await server.do('reload')).toMatchObject({ mounted: 2, failed: [] });
    expect(await server.do('create', { table: 'linked', data: { title: 'x' } })).toMatchObject({ version: 1 });
  });

  it('are reported when the schema.yaml they name is gone', async () => {
    const directory = home();
    writeTable(join(directory, 'user'), 'dangling');
    const schema = join(directory, 'user', 'dangling', 'schema.yaml');
    rmSync(schema);
    symlinkSync(join(directory, 'nowhere.yaml'), schema);
    const server = serve(directory);
    expect(await server.do('reload')).toMatchObject({ mounted: 0, failed: [{ table: 'dangling', code: 'IO_ERROR' }] });
  });
});

describe('a database that is taken away from a running server', () => {
  it('refuses writes that nobody would find again, until a reload', async () => {
    const directory = home();
    const user = join(directory, 'user');
    writeTable(user);
    const server = serve(directory);
    await server.do('create', { table: 'issues', data: { title: 'before' } });
    renameSync(join(user, 'issues', 'issues.db'), join(directory, 'elsewhere.db'));
    const lost = await server.call('create', { table: 'issues', data: { title: 'lost' } });
    expect(lost.body).toMatchObject({ code: 'STORAGE_ERROR', hint: expect.stringContaining('reload') });
    renameSync(join(user, 'issues'), join(directory, 'elsewhere'));
    const gone = await server.call('create', { table: 'issues', data: { title: 'lost' } });
    expect(gone.body).toMatchObject({ code: 'TABLE_NOT_FOUND' });
    writeTable(user);
    expect(await server.do('reload')).toMatchObject({ mounted: 1, failed: [] });
    await server.do('create', { table: 'issues', data: { title: 'after' } });
    const { text } = await server.call('list', { table: 'issues' });
    expect(JSON.parse(text)).toMatchObject([{ data: { title: 'after' } }]);
  });

  it('makes the file of the aliases anew', async () => {
    const directory = home();
    const user = join(directory, 'user');
    writeTable(user);
    const server = serve(directory);
    const filter = { type: 'eq', field: 'state', value: 'open' };
    await server.do('alias_create', { table: 'issues', name: 'first', filter });
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(user, `_global.db${suffix}`), { force: true });
    await server.do('alias_create', { table: 'issues', name: 'second', filter });
    await server.stop();
    const { text } = await serve(directory).call('alias_list');
    expect(JSON.parse(text)).toMatchObject([{ name: 'second' }]);
  });
});

it('info says that a log was compacted', async () => {
  const directory = home();
  writeTable(join(directory, 'user'), 'issues', `${issuesSchema}history: off\n`);
  const server = serve(directory);
  const { id } = await server.do('create', { table: 'issues', data: { title: 'a' } });
  await server.do('update', { table: 'issues', id, data: { title: 'b' } });
  expect(await server.do('info', { table: 'issues' })).not.toHaveProperty('status.compacted');
  execFileSync(process.execPath, [program, 'compact', 'issues'], { cwd: directory, env: environment(directory) });
  const info = await server.do('info', { table: 'issues' });
  expect(info).toMatchObject({ status: { compacted: { upto: 1, removed: 1 } } });
});
