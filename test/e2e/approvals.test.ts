/** Managed views of the built program: approved and revoked from the command line while servers run. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { HttpServer } from './http-server.js';
import { type Answer, environment, program, Server } from './server.js';

let directory: string;
let servers: Server[];

beforeEach(() => {
  directory = newDir();
  servers = [];
});

afterEach(async () => {
  for (const server of servers) await server.stop();
  removeDir(directory);
});

/** Two tools in two views: `managed` says its version, `next` publishes the version that it is given. */
function writePlugin(version = 'one'): void {
  writeFileSync(
    join(directory, 'plugin.mjs'),
    `import { Contract, Plugin, Projection, ServiceKey, z } from 'mini-app-mcp/plugin';
const Key = new ServiceKey('test/Key');
const say = (name, description, more = {}) => Contract.operation('test/' + name, 1, { payload: z.object({ to: z.string().optional(), ...more }), success: z.string() })
  .annotate(Projection.Annotation, { name, title: name, description, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false, output: 'json' });
let controller;
const managed = (version) => [Projection.operation(Key, say('managed', version), () => version)];
export default Plugin.make({ name: 'tester', version: '1.0.0', apply: async (scope) => {
  scope.provide(Key, {});
  controller = await Projection.offer('public/managed', managed('${version}'));
  await Projection.offer('public/other', [Projection.operation(Key, say('other', 'stays'), () => 'other')]);
  await Projection.offer('free/next', [Projection.operation(Key, say('next', 'changes'), async (_, { to }) => { await controller.update(managed(to)); return to; })]);
} });
`,
  );
}

function settings(globs = 'public/*'): Record<string, string> {
  return environment(directory, {
    MINI_APP_PLUGINS: './plugin.mjs',
    MINI_APP_MANAGED_VIEWS: globs,
    MINI_APP_ACTOR: 'ops',
  });
}

function start(globs?: string): Server {
  const server = new Server(directory, settings(globs));
  servers.push(server);
  return server;
}

function approvals(...args: string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  return spawnSync(process.execPath, [program, 'approvals', ...args], {
    cwd: directory,
    env: settings(),
    encoding: 'utf8',
  });
}

const listed = () => JSON.parse(approvals('list', '--json').stdout) as Record<string, unknown>[];
const required = { isError: true, body: { kind: 'business', code: 'APPROVAL_REQUIRED', view: 'public/managed' } };

test('a managed view is called only while exactly what is published is approved', async () => {
  writePlugin();
  const server = start();
  expect(await server.call('managed')).toMatchObject(required);
  expect(approvals('show', 'public/managed')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('+ tool managed is new'),
  });
  expect(approvals('approve', 'public/managed')).toMatchObject({ status: 0 });
  expect((await server.call('managed')).body).toEqual({ value: 'one' });
  expect(await server.call('other')).toMatchObject({ isError: true });
  expect(approvals('show', 'public/managed').status).toBe(0);

  // Changed: closed for everybody, whatever list they have; the other view is as it was.
  await server.do('next', { to: 'two' });
  const refused = await server.call('managed');
  expect(refused).toMatchObject(required);
  const { stdout } = approvals('show', 'public/managed');
  expect(stdout).toContain('changed since it was approved');
  expect(stdout).toMatch(/- one\n\s+\+ two/);
  expect(stdout).toContain(String(refused.body.digest));

  // Back to what was approved: no new decision.
  await server.do('next', { to: 'one' });
  expect((await server.call('managed')).body).toEqual({ value: 'one' });

  // A restart needs none either.
  const again = start();
  expect((await again.call('managed')).body).toEqual({ value: 'one' });
  expect(approvals('revoke', 'public/managed').status).toBe(0);
  for (const each of [server, again]) expect(await each.call('managed')).toMatchObject(required);
});

test('what was published after the look is not approved unseen', async () => {
  writePlugin();
  const server = start();
  await server.call('managed');
  const seen = String(listed().find(({ view }) => view === 'public/managed')?.digest);
  await server.do('next', { to: 'two' });
  expect(approvals('approve', 'public/managed', '--digest', seen)).toMatchObject({ status: 2 });
  expect(await server.call('managed')).toMatchObject(required);
  const now = String(listed().find(({ view }) => view === 'public/managed')?.digest);
  expect(now).not.toBe(seen);
  expect(approvals('approve', 'public/managed', '--digest', now).status).toBe(0);
  expect((await server.call('managed')).body).toEqual({ value: 'two' });
  expect(approvals('approve', 'no/such').stderr).toContain('public/managed');
  expect(approvals('show', 'no/such').status).toBe(2);
});

test('two servers with different versions are each held to their own digest', async () => {
  writePlugin('one');
  const first = start();
  await first.call('managed');
  approvals('approve', 'public/managed');
  writePlugin('two');
  const second = start();
  expect(await second.call('managed')).toMatchObject(required);
  expect((await first.call('managed')).body).toEqual({ value: 'one' });
  approvals('approve', 'public/managed');
  expect((await second.call('managed')).body).toEqual({ value: 'two' });
  expect(await first.call('managed')).toMatchObject(required);
});

describe('when _global.db is another file', () => {
  const path = () => join(directory, 'user', '_global.db');
  const remove = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${path()}${end}`, { force: true });
  };

  /** A server with a view that is approved, and a backup from before that. */
  async function approved(): Promise<{ server: Server; backup: string }> {
    writePlugin();
    const server = start();
    await server.call('managed');
    const backup = join(directory, 'backup.db');
    execFileSync(process.execPath, [
      '--input-type=module',
      '-e',
      `import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))}; new Database(process.argv[1]).exec("VACUUM INTO '" + process.argv[2] + "'")`,
      path(),
      backup,
    ]);
    approvals('approve', 'public/managed');
    expect((await server.call('managed')).body).toEqual({ value: 'one' });
    return { server, backup };
  }

  test('an approval that the backup has not holds no more, and a new one does', async () => {
    const { server, backup } = await approved();
    remove();
    renameSync(backup, path());
    for (let count = 0; count < 5; count++) expect(await server.call('managed')).toMatchObject(required);
    expect(approvals('approve', 'public/managed').status).toBe(0);
    expect((await server.call('managed')).body).toEqual({ value: 'one' });
    expect(server.stderr).toContain('_global.db is another file now');
  });

  test('what is live is what is approved, although the backup knows another version', async () => {
    const { server, backup } = await approved();
    await server.do('next', { to: 'two' });
    remove();
    renameSync(backup, path());
    const { body } = await server.call('managed');
    await expect.poll(() => listed().find(({ view }) => view === 'public/managed')?.digest).toBe(body.digest);
    expect(approvals('approve', 'public/managed').status).toBe(0);
    expect((await server.call('managed')).body).toEqual({ value: 'two' });
  });

  test('nothing is admitted while it is gone, and no file is put in the way of a backup', async () => {
    const { server, backup } = await approved();
    remove();
    for (let count = 0; count < 5; count++) expect(await server.call('managed')).toMatchObject(required);
    expect(existsSync(path())).toBe(false);
    expect(server.stderr.split('_global.db with the approvals is gone')).toHaveLength(2);
    renameSync(backup, path());
    expect(await server.call('managed')).toMatchObject(required);
    approvals('approve', 'public/managed');
    expect((await server.call('managed')).body).toEqual({ value: 'one' });
  });
});

test('no call is admitted under a digest that is not approved, whatever is decided meanwhile', async () => {
  writePlugin();
  const server = start();
  await server.call('managed');
  let done = false;
  const answers: Answer[] = [];
  const caller = (async () => {
    while (!done) answers.push(await server.call('managed'));
  })();
  // Not `approvals`, which would hold up the caller as well.
  const decide = promisify(execFile);
  const options = { cwd: directory, env: settings() };
  for (const decision of ['approve', 'revoke', 'approve', 'revoke', 'approve'])
    await decide(process.execPath, [program, 'approvals', decision, 'public/managed'], options);
  const calls = answers.length;
  await expect.poll(() => answers.length).toBeGreaterThan(calls + 10);
  await server.do('next', { to: 'two' });
  const later = answers.length + 1;
  await new Promise((resolve) => setTimeout(resolve, 50));
  done = true;
  await caller;
  const bodies = answers.map(({ body }) => body.value ?? body.code);
  expect(new Set(bodies)).toEqual(new Set(['one', 'APPROVAL_REQUIRED']));
  expect(bodies.slice(later)).not.toContain('one');
});

describe('what is recorded', () => {
  function events(): Record<string, unknown>[] {
    const sql = 'SELECT type, actor, origin, body FROM _events ORDER BY seq';
    const script = `import Database from 'better-sqlite3'; console.log(JSON.stringify(new Database(process.argv[1], { readonly: true }).prepare(${JSON.stringify(sql)}).all()))`;
    const args = ['--input-type=module', '-e', script, join(directory, 'user', '_global.db')];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  }

  test('is every revision and every decision, once, with who it was', async () => {
    writePlugin();
    const server = start();
    await server.call('managed');
    approvals('approve', 'public/managed');
    approvals('approve', 'public/managed');
    await server.do('next', { to: 'two' });
    await server.stop();
    await start().call('other');
    const found = events().filter(({ body }) => JSON.parse(String(body)).view === 'public/managed');
    expect(found.map(({ type, actor }) => [type, actor])).toEqual([
      ['view.published', 'mini-app-mcp'],
      ['view.approved', 'ops'],
      ['view.published', 'mini-app-mcp'],
      ['view.published', 'mini-app-mcp'],
    ]);
    expect(JSON.parse(String(found[2]?.body))).toMatchObject({
      revision: 2,
      managed: true,
      plugin: 'tester@1.0.0',
      before: [{ name: 'managed', description: 'one' }],
      after: [{ name: 'managed', description: 'two', inputSchema: { type: 'object' } }],
    });
    expect(JSON.parse(String(found[1]?.origin))).toMatchObject({ tool: 'cli:approvals approve' });
  });

  test('is nothing new when the same is published again', async () => {
    writePlugin();
    for (let count = 0; count < 2; count++) {
      const server = start();
      await server.call('managed');
      await server.stop();
    }
    expect(
      events()
        .map(({ body }) => JSON.parse(String(body)).view)
        .sort(),
    ).toEqual(['core/store', 'free/next', 'public/managed', 'public/other']);
  });
});

test('the built-in tools can be managed too', async () => {
  writePlugin();
  const server = start('core/*');
  expect(await server.call('info')).toMatchObject({
    isError: true,
    body: { code: 'APPROVAL_REQUIRED', view: 'core/store' },
  });
  expect(approvals('approve', 'core/store').status).toBe(0);
  expect((await server.call('info')).body.code).not.toBe('APPROVAL_REQUIRED');
});

describe('a pattern', () => {
  test('that governs nothing is told, with what was probably meant', async () => {
    writePlugin();
    const server = start('publik/managed,public/*,core/stor');
    await server.call('info');
    await expect.poll(() => server.stderr).toContain("did you mean 'core/store'?");
    expect(server.stderr).toContain(
      "'publik/managed' matches no view that is published; did you mean 'public/managed'?",
    );
    expect(server.stderr).not.toContain("'public/*' matches");
  });

  test('that holds the built-in tools back is told until they are approved', async () => {
    writePlugin();
    const words = 'MINI_APP_MANAGED_VIEWS holds the built-in tools back';
    const server = start('core/*');
    await server.call('info');
    await expect.poll(() => server.stderr).toContain(words);
    expect(approvals('approve', 'core/store').status).toBe(0);
    const again = start('core/*');
    await again.call('other');
    await expect.poll(() => again.stderr).toContain('plugin started');
    expect(again.stderr).not.toContain(words);
  });
});

test('approve says what was approved, and that a view which is not managed needs no approval', async () => {
  writePlugin();
  const server = start();
  await server.call('managed');
  expect(approvals('approve', 'public/managed').stdout).toMatch(/\+ tool managed is new[\s\S]*approved/);
  await server.do('next', { to: 'two' });
  const { difference } = JSON.parse(approvals('approve', 'public/managed', '--json').stdout);
  expect(difference.join('\n')).toMatch(/- one\n\s+\+ two/);
  const unmanaged = 'free/next is not managed: its tools can be called in any case';
  expect(approvals('show', 'free/next')).toMatchObject({ status: 0, stdout: expect.stringContaining(unmanaged) });
  expect(approvals('approve', 'free/next')).toMatchObject({ status: 0, stdout: expect.stringContaining(unmanaged) });
  expect(JSON.parse(approvals('approve', 'free/next', '--json').stdout)).toMatchObject({ managed: false });
  expect(approvals('list').stdout).toMatch(/free\/next.*not managed/);
});

test('a managed view over HTTP is held as well, and an env file cannot bring approvals', async () => {
  writePlugin();
  writeFileSync(join(directory, '.mini-app-mcp.env'), 'MINI_APP_USER_DIR=elsewhere\n');
  const { MINI_APP_USER_DIR: _, ...env } = settings();
  const server = await HttpServer.start(directory, { ...env, HOME: directory });
  try {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'managed', arguments: {} } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await response.text()).toContain('APPROVAL_REQUIRED');
  } finally {
    await server.stop();
  }
  expect(() => execFileSync('ls', [join(directory, '.mini-app', '_global.db')], { stdio: 'pipe' })).not.toThrow();
});
