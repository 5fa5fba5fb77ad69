/** Plugins in workers of the built program: the answers of a plugin in process, and none of its crashes. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { HttpServer } from './http-server.js';
import { environment, program, Server, writeTable } from './server.js';

let directory: string;
let servers: Server[];

beforeEach(() => {
  directory = newDir();
  servers = [];
  writeTable(join(directory, 'user'));
});

afterEach(async () => {
  for (const server of servers) await server.stop();
  removeDir(directory);
});

/** One tool `act` that does what it is told, and `seen`, which tells the version. */
function module(version = 'v1', more = ''): string {
  return `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Contract, Plugin, Projection, Store, z } from 'mini-app-mcp/plugin';
${more}
const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const act = Contract.operation('test/Act', 1, {
  payload: z.object({ do: z.string(), count: z.number().int().min(0).max(9).default(3) }),
  success: z.object({ did: z.string(), count: z.number(), at: z.codec(z.string(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() }) }),
  error: z.object({ code: z.literal('REFUSED'), message: z.string() }),
}).annotate(Projection.Annotation, { name: 'act', title: 'Act', description: 'Acts, ${version}.', ...hints, output: 'json' });
const nothing = Contract.operation('test/Nothing', 1, { payload: z.object({}), success: z.void() })
  .annotate(Projection.Annotation, { name: 'nothing', title: 'Nothing', description: 'Does nothing.', ...hints, output: 'void' });
async function run(store, what, context) {
  if (what === 'refuse') throw { code: 'REFUSED', message: 'not today' };
  if (what === 'throw') throw new Error('a secret');
  if (what === 'exit') process.exit(3);
  if (what === 'crash') globalThis.setTimeout(() => { throw new Error('later'); });
  if (what === 'loop') for (;;);
  if (what === 'fill') { const all = []; for (;;) all.push(new Array(100_000).fill(Math.random())); }
  if (what === 'print') { console.log('stray'); process.stdout.write('stray\\n'); }
  if (what === 'crash' || what.startsWith('wait')) {
    context.defer(() => writeFileSync('finalised', context.signal.aborted ? 'aborted' : 'ended'));
    while (!existsSync('go') && !context.signal.aborted) await setTimeout(10);
  }
  if (what.endsWith('create')) return (await store.create({ table: 'issues', data: { title: 'made in a worker' } }, context)).id;
  if (what === 'missing') await store.get({ table: 'issues', id: 'ffffffff' }, context);
  if (what === 'atomically') await store.atomically({ table: 'issues' }, context, () => 1);
  return '${version}';
}
export default Plugin.make({ name: 'actor', version: '${version}', inject: [Store], apply: () => Projection.offer('test/actor', [
  Projection.operation(Store, act, async (store, payload, context) => ({ did: await run(store, payload.do, context), count: payload.count, at: new Date(0) })),
  Projection.operation(Store, nothing, () => undefined),
]) });
`;
}

function write(text: string): void {
  writeFileSync(join(directory, 'actor.mjs'), text);
}

function settings(module = 'worker:./actor.mjs', more: Record<string, string> = {}): Record<string, string> {
  return environment(directory, { MINI_APP_PLUGINS: module, ...more });
}

function start(module?: string, more?: Record<string, string>): Server {
  const server = new Server(directory, settings(module, more));
  servers.push(server);
  return server;
}

const system = { isError: true, body: { kind: 'system', code: 'INTERNAL', incident: expect.any(String) } };
const statusOf = async (server: Server) =>
  ((await server.call('info', { table: 'issues' })).body.plugins as Record<string, unknown>[])[0];

function expectAnsweredOnce(server: Server): void {
  const ids = server.lines.map((line) => JSON.parse(line).id).filter((id) => id !== undefined);
  expect(new Set(ids).size).toBe(ids.length);
}

test('answers as the same plugin in process does', async () => {
  write(module());
  const [inWorker, inProcess] = [start(), start('./actor.mjs')];
  const calls: [string, Record<string, unknown>][] = [
    ['act', { do: 'x' }],
    ['act', { do: 'x', count: 7 }],
    ['act', {}],
    ['act', { do: 1, count: 99 }],
    ['act', { doo: 'x' }],
    ['act', { do: 'refuse' }],
    ['act', { do: 'missing' }],
    ['nothing', {}],
    ['nothing', { x: 1 }],
  ];
  for (const [name, args] of calls) {
    expect((await inWorker.call(name, args)).text, JSON.stringify(args)).toBe((await inProcess.call(name, args)).text);
  }
  const list = async (server: Server) =>
    (await server.request('tools/list', {})).result?.tools?.filter(({ name }) => name === 'act' || name === 'nothing');
  expect(await list(inWorker)).toEqual(await list(inProcess));
  const failed = await inWorker.call('act', { do: 'throw' });
  expect(failed).toMatchObject(system);
  expect(failed.text).not.toContain('secret');
  await expect.poll(() => inWorker.stderr).toContain('a secret');
  expect(inWorker.stderr).toContain(String(failed.body.incident));
});

describe('SIGHUP', () => {
  test('never ends a server without such plugins, however early it comes', async () => {
    const server = start('');
    await expect.poll(() => server.lines.length, { interval: 1 }).toBe(1);
    server.kill('SIGHUP');
    expect(await server.call('list', { table: 'issues' })).toMatchObject({ isError: false });
    await expect.poll(() => server.stderr).toContain('SIGHUP: nothing is reloaded');
    expect(await server.call('list', { table: 'issues' })).toMatchObject({ isError: false });
  });

  test('names the plugins in process, which stay as they are', async () => {
    write(module('v1'));
    writeFileSync(join(directory, 'other.mjs'), module('v1').replaceAll('act', 'other').replaceAll('nothing', 'nil'));
    const server = start('worker:./actor.mjs,./other.mjs');
    await expect.poll(() => statusOf(server)).toMatchObject({ state: 'running' });
    write(module('v2'));
    server.kill('SIGHUP');
    await expect.poll(() => statusOf(server), { timeout: 10_000 }).toMatchObject({ version: 'v2', state: 'running' });
    expect(server.stderr).toContain('SIGHUP: not reloaded, because they run in process: other.mjs');
  });

  test('does not end a server whose plugin is still loading, and is not forgotten', async () => {
    write(module('v1', 'await setTimeout(5_000);'));
    const server = start();
    await server.call('info', { table: 'issues' });
    expect(await statusOf(server)).toMatchObject({ state: 'loading' });
    write(module('v2'));
    server.kill('SIGHUP');
    await expect.poll(() => statusOf(server), { timeout: 15_000 }).toMatchObject({ version: 'v2', state: 'running' });
  });

  test('starts a plugin that could not be started before', async () => {
    write('export default {');
    const server = start();
    await expect.poll(() => statusOf(server), { timeout: 10_000 }).toMatchObject({ state: 'failed' });
    write(module('v1'));
    server.kill('SIGHUP');
    await expect
      .poll(() => statusOf(server), { timeout: 10_000 })
      .toEqual({
        plugin: 'actor',
        version: 'v1',
        mode: 'worker',
        state: 'running',
      });
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v1' } });
  });

  test('during a change is not lost: the newest version serves in the end', async () => {
    write(module('v1'));
    const server = start();
    await server.call('act', { do: 'x' });
    write(module('v2', 'await setTimeout(1_500);'));
    server.kill('SIGHUP');
    await new Promise((resolve) => setTimeout(resolve, 700));
    write(module('v3'));
    for (let count = 0; count < 5; count++) server.kill('SIGHUP');
    await expect
      .poll(() => statusOf(server), { timeout: 10_000 })
      .toEqual({ plugin: 'actor', version: 'v3', mode: 'worker', state: 'running' });
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v3' } });
  });

  test('starts a plugin anew that was given up', async () => {
    write(module('v1'));
    const server = start();
    for (let count = 0; count < 6; count++) expect(await server.call('act', { do: 'exit' })).toMatchObject(system);
    await expect.poll(() => statusOf(server)).toMatchObject({ state: 'failed' });
    write(module('v2'));
    server.kill('SIGHUP');
    await expect
      .poll(() => statusOf(server), { timeout: 10_000 })
      .toEqual({ plugin: 'actor', version: 'v2', mode: 'worker', state: 'running' });
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v2' } });
  }, 60_000);
});

test('events name the version of the plugin that wrote them', async () => {
  write(module('v1'));
  const server = start();
  await server.call('act', { do: 'create' });
  const admitted = server.call('act', { do: 'wait-create' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  write(module('v2'));
  server.kill('SIGHUP');
  await expect.poll(() => statusOf(server), { timeout: 10_000 }).toMatchObject({ version: 'v2' });
  await server.call('act', { do: 'create' });
  writeFileSync(join(directory, 'go'), '');
  await admitted;
  const database = new Database(join(directory, 'user', 'issues', 'issues.db'), { readonly: true });
  try {
    const rows = database.prepare("SELECT json_extract(origin, '$.plugin') AS plugin FROM _events ORDER BY seq").all();
    expect(rows.map((row) => (row as { plugin: string }).plugin).filter(Boolean)).toEqual([
      'actor@v1',
      'actor@v2',
      'actor@v1',
    ]);
  } finally {
    database.close();
  }
});

test('writes through the store on behalf of its caller; a function cannot leave the worker', async () => {
  write(module());
  const server = start();
  const { body } = await server.call('act', { do: 'create' });
  const id = (body.value as { did: string }).did;
  expect(await server.do('get', { table: 'issues', id })).toMatchObject({ data: { title: 'made in a worker' } });
  const refused = await server.call('act', { do: 'atomically' });
  expect(refused).toMatchObject(system);
  await expect.poll(() => server.stderr).toContain(String(refused.body.incident));
  const line = server.stderr.split('\n').find((each) => each.includes(String(refused.body.incident)));
  expect(line).toMatch(/"tool":"act".*Store\.atomically cannot be used in a worker.*expected_version.*without worker:/);
});

describe('a call that ends its worker', () => {
  test.each([
    ['exits', 'exit'],
    ['throws where nobody catches', 'crash'],
    ['loops for ever', 'loop'],
    ['fills the memory', 'fill'],
  ])('because it %s is a system error; the others go on, and the worker is started anew', async (_, what) => {
    write(module());
    const server = start(undefined, { MINI_APP_PLUGIN_MEMORY_MB: '64' });
    await server.call('act', { do: 'x' });
    const dying = server.call('act', { do: what });
    expect(await server.call('list', { table: 'issues' })).toMatchObject({ isError: false });
    expect(await dying).toMatchObject(system);
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v1' } });
    expect(await statusOf(server)).toMatchObject({ plugin: 'actor', state: 'running' });
    expectAnsweredOnce(server);
  });

  test('again and again withdraws its tools and says so', async () => {
    write(module());
    const server = start();
    for (let count = 0; count < 6; count++) expect(await server.call('act', { do: 'exit' })).toMatchObject(system);
    await expect
      .poll(async () => (await server.request('tools/list', {})).result?.tools?.map(({ name }) => name))
      .not.toContain('act');
    expect(await statusOf(server)).toMatchObject({ state: 'failed', error: 'its worker ended again and again' });
    expect(await server.call('list', { table: 'issues' })).toMatchObject({ isError: false });
  }, 60_000);
});

describe('a crash while its file changes', () => {
  const other = module('v2').replace("'test/actor'", "'test/other'");

  test('to what cannot be published leaves no thread behind', async () => {
    write(module('v1'));
    const server = start();
    await server.call('act', { do: 'x' });
    write(`${other} import { appendFileSync } from 'node:fs'; setInterval(() => appendFileSync('alive', 'x'), 20);`);
    expect(await server.call('act', { do: 'exit' })).toMatchObject(system);
    await expect
      .poll(() => statusOf(server), { timeout: 10_000 })
      .toMatchObject({ state: 'failed', error: expect.stringContaining('publishes other views') });
    const size = () => statSync(join(directory, 'alive'), { throwIfNoEntry: false })?.size ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = size();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(size()).toBe(before);
  });

  test('once too often does not take away the version that is about to come', async () => {
    write(module('v1'));
    const server = start();
    for (let count = 0; count < 5; count++) expect(await server.call('act', { do: 'exit' })).toMatchObject(system);
    await server.call('act', { do: 'x' });
    write(module('v2', 'await setTimeout(1_500);'));
    server.kill('SIGHUP');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await server.call('act', { do: 'exit' })).toMatchObject(system);
    await expect
      .poll(() => statusOf(server), { timeout: 10_000 })
      .toEqual({ plugin: 'actor', version: 'v2', mode: 'worker', state: 'running' });
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v2' } });
  }, 60_000);
});

test('what it prints does not reach the protocol', async () => {
  write(module('v1', "console.log('stray at load');"));
  const server = start();
  expect((await server.call('act', { do: 'print' })).body).toMatchObject({ value: { did: 'v1' } });
  for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});

test('a cancelled call is told in the worker, finalised, and answered by nothing', async () => {
  write(module());
  const server = start();
  await server.call('act', { do: 'x' });
  server.send({ id: 900, method: 'tools/call', params: { name: 'act', arguments: { do: 'wait' } } });
  await new Promise((resolve) => setTimeout(resolve, 200));
  server.send({ method: 'notifications/cancelled', params: { requestId: 900 } });
  await expect.poll(() => existsSync(join(directory, 'finalised'))).toBe(true);
  expect((await server.call('act', { do: 'x' })).isError).toBe(false);
  expect(server.lines.some((line) => JSON.parse(line).id === 900)).toBe(false);
  expect(server.stderr).not.toContain('suppressed');
});

test.each([
  ['throws at load', "throw new Error('secret');", 'could not be started'],
  ['is no plugin', 'export default 1;', 'no plugin made with Plugin.make'],
  ['loops at load', 'for (;;);', 'did not load in time'],
  ['ends its process', 'process.exit(0);', 'could not be started'],
])(
  'a module that %s stops nobody',
  async (_, text, words) => {
    write(text);
    const server = start();
    expect(await server.call('list', { table: 'issues' })).toMatchObject({ isError: false });
    await expect
      .poll(() => statusOf(server), { timeout: 15_000 })
      .toMatchObject({ state: 'failed', error: expect.stringContaining(words) });
    expect(JSON.stringify(await statusOf(server))).not.toContain('secret');
  },
  30_000,
);

describe('a newer version', () => {
  const describedAs = async (server: Server) => {
    const { result } = await server.request('tools/list', {});
    return result?.tools?.find(({ name }) => name === 'act')?.description;
  };

  test('takes over on SIGHUP: calls admitted before end with the old one, nobody reconnects', async () => {
    write(module('v1'));
    const server = start();
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v1' } });
    const admitted = Array.from({ length: 5 }, () => server.call('act', { do: 'wait' }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    write(module('v2'));
    server.kill('SIGHUP');
    await expect.poll(() => describedAs(server), { timeout: 10_000 }).toBe('Acts, v2.');
    expect(server.lines.some((line) => line.includes('tools/list_changed'))).toBe(true);
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v2' } });
    writeFileSync(join(directory, 'go'), '');
    for (const answer of await Promise.all(admitted)) expect(answer.body).toMatchObject({ value: { did: 'v1' } });
    expect(await statusOf(server)).toEqual({ plugin: 'actor', version: 'v2', mode: 'worker', state: 'running' });
    expectAnsweredOnce(server);
  });

  test.each([
    ['cannot be loaded', 'export default {', 'could not be started'],
    ['publishes other views', module('v2').replace("'test/actor'", "'test/other'"), 'publishes other views'],
    ['cannot be published', module('v2').replace("name: 'act'", "name: 'list'"), "'list' is claimed by"],
  ])('that %s leaves the old one serving', async (_, text, words) => {
    write(module('v1'));
    const server = start();
    await server.call('act', { do: 'x' });
    write(text);
    server.kill('SIGHUP');
    await expect
      .poll(() => statusOf(server), { timeout: 10_000 })
      .toMatchObject({ version: 'v1', state: 'running', error: expect.stringContaining(words) });
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v1' } });
    expect(await describedAs(server)).toBe('Acts, v1.');
  });

  test('is found by --watch-plugins over HTTP', async () => {
    write(module('v1'));
    const server = await HttpServer.start(directory, settings(), ['--watch-plugins']);
    try {
      const ask = async () => {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'act', arguments: { do: 'x' } } };
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        return (await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
      };
      expect(await ask()).toContain('v1');
      rmSync(join(directory, 'actor.mjs'));
      write(module('v2'));
      await expect.poll(ask, { timeout: 10_000 }).toContain('v2');
    } finally {
      await server.stop();
    }
  });

  test('takes over under load: every call is answered once, by the version it was admitted to', async () => {
    write(module('v1'));
    const server = start();
    await server.call('act', { do: 'x' });
    const sent: Promise<string>[] = [];
    const did = async () => {
      const { isError, text, body } = await server.call('act', { do: 'x' });
      if (isError) throw new Error(text);
      return (body.value as { did: string }).did;
    };
    let isLoaded = true;
    const load = async () => {
      for (; isLoaded; await sent.at(-1)) sent.push(did());
    };
    const loads = Array.from({ length: 8 }, load);
    for (const version of ['v2', 'v3']) {
      write(module(version));
      server.kill('SIGHUP');
      await expect.poll(() => statusOf(server), { timeout: 15_000 }).toMatchObject({ version });
    }
    isLoaded = false;
    await Promise.all(loads);
    const versions = await Promise.all(sent);
    expect(versions).toEqual([...versions].sort());
    expect([...new Set(versions)]).toEqual(['v1', 'v2', 'v3']);
    expectAnsweredOnce(server);
  });

  test('that a crash brings in is not called under the approval of the one before', async () => {
    write(module('v1'));
    const server = start(undefined, { MINI_APP_MANAGED_VIEWS: 'test/*' });
    await server.call('act', { do: 'x' });
    const env = settings(undefined, { MINI_APP_MANAGED_VIEWS: 'test/*' });
    execFileSync(process.execPath, [program, 'approvals', 'approve', 'test/actor'], { cwd: directory, env });
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({ value: { did: 'v1' } });
    write(module('v2'));
    expect(await server.call('act', { do: 'exit' })).toMatchObject(system);
    // Admitted while the worker is being started anew: by then its file is another one.
    const waiting = await Promise.all(Array.from({ length: 5 }, () => server.call('act', { do: 'x' })));
    for (const { text } of waiting) expect(text).not.toContain('v2');
    await expect
      .poll(async () => (await server.call('act', { do: 'x' })).body, { timeout: 10_000 })
      .toMatchObject({ code: 'APPROVAL_REQUIRED' });
  });

  test('of a managed view waits for its approval', async () => {
    write(module('v1'));
    const server = start(undefined, { MINI_APP_MANAGED_VIEWS: 'test/*' });
    expect((await server.call('act', { do: 'x' })).body).toMatchObject({
      code: 'APPROVAL_REQUIRED',
      view: 'test/actor',
    });
  });
});
