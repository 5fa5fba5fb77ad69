/** What plugins do to the server outside of calls: they hang while it starts, they break, they end the process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { HttpServer } from './http-server.js';
import { environment, Server, writeTable } from './server.js';

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

function start(entry: string, text: string): Server {
  writeFileSync(join(directory, 'bad.mjs'), text);
  const server = new Server(directory, environment(directory, { MINI_APP_PLUGINS: entry }));
  servers.push(server);
  return server;
}

/** A plugin with the tool `late`, whose calls end after half a second. */
function late(before: string, meanwhile = ''): string {
  return `import { Contract, Plugin, Projection, Store, z } from 'mini-app-mcp/plugin';
const operation = Contract.operation('test/Late', 1, { payload: z.object({}), success: z.string() })
  .annotate(Projection.Annotation, { name: 'late', title: 'Late', description: 'A test.', readOnlyHint: true,
    destructiveHint: false, idempotentHint: true, openWorldHint: false, output: 'json' });
export default Plugin.make({ name: 'late', inject: [Store], apply: async () => {
  ${before}
  await Projection.offer('test/late', [Projection.operation(Store, operation, async () => {
    ${meanwhile}
    await new Promise((resolve) => setTimeout(resolve, 500));
    return 'here';
  })]);
} });`;
}

/** A client that sends all it has and leaves, as a pipe does. */
async function leaveWith(server: Server): Promise<{ answers: boolean[]; ms: number; code: number | null }> {
  const calls = [
    server.call('create', { table: 'issues', data: { title: 'x' } }),
    server.call('list', { table: 'issues' }),
  ];
  await expect.poll(() => server.lines.length, { interval: 5 }).toBeGreaterThan(0);
  const started = performance.now();
  server.leave();
  const answers = await Promise.all(calls.map((call) => call.then(({ isError }) => !isError).catch(() => false)));
  const code = await server.ended();
  return { answers, ms: performance.now() - started, code };
}

describe.each([
  [
    'whose apply never ends',
    "import { Plugin } from 'mini-app-mcp/plugin';\nexport default Plugin.make({ name: 'bad', apply: () => new Promise(() => {}) });",
  ],
  ['whose module never loads', 'await new Promise(() => {});\nexport default 1;'],
])('a client that leaves while a plugin loads %s', (_, text) => {
  test.each(['./bad.mjs', 'worker:./bad.mjs'])('has its answers, and the server ends in time: %s', async (entry) => {
    const { answers, ms, code } = await leaveWith(start(entry, text));
    expect(answers).toEqual([true, true]);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(2_000);
  });
});

test('a client that leaves at once is still answered by a plugin that loads in time', async () => {
  const server = start('./bad.mjs', late('await new Promise((resolve) => setTimeout(resolve, 150));'));
  const answer = server.call('late');
  await expect.poll(() => server.lines.length, { interval: 5 }).toBeGreaterThan(0);
  server.leave();
  expect((await answer).body).toEqual({ value: 'here' });
  expect(await server.ended()).toBe(0);
});

describe.each(['./bad.mjs', 'worker:./bad.mjs'])(
  'the log of a plugin that cannot be started leads to its place: %s',
  (entry) => {
    test.each([
      ['a syntax error', "import 'node:fs';\nexport default {", 'bad.mjs:2', 'SyntaxError'],
      ['a syntax error in what it imports', "import './dep.mjs';", 'dep.mjs:2', 'SyntaxError'],
      ['an import that is not there', "\nimport { nope } from 'mini-app-mcp/plugin';", 'bad.mjs:2', 'SyntaxError'],
      ['an error at load', "\n\nthrow new TypeError('secret');", 'bad.mjs:3:7', 'TypeError'],
      [
        'an error in apply',
        "import { Plugin } from 'mini-app-mcp/plugin';\nexport default Plugin.make({ name: 'bad', apply() {\n  throw new RangeError('secret');\n} });",
        'bad.mjs:3:9',
        'RangeError',
      ],
    ])('%s', async (_, text, place, name) => {
      writeFileSync(join(directory, 'dep.mjs'), '\nconst a = ;');
      const server = start(entry, text);
      const started = () => server.stderr.split('\n').filter((line) => line.includes('plugin failed to start'));
      await expect.poll(started, { timeout: 10_000 }).toHaveLength(1);
      const [line = ''] = started();
      expect(JSON.parse(line.slice(line.indexOf('{')))).toMatchObject({
        entry,
        at: join(directory, place),
        error: { name, message: expect.any(String) },
      });
      const { text: info } = await server.call('info', { table: 'issues' });
      expect(info).toContain('it could not be started; the log of the server says why');
      expect(info).not.toContain(directory);
      expect(info).not.toContain('secret');
    });
  },
);

describe('a plugin in process that breaks outside of any call', () => {
  const lineOf = (stderr: string, words: string) => stderr.split('\n').find((line) => line.includes(words)) ?? '';

  test('by a rejected promise is told, and the server goes on', async () => {
    const server = start('./bad.mjs', late('', "void Promise.reject(new Error('forgotten'));"));
    expect((await server.call('late')).body).toEqual({ value: 'here' });
    expect(await server.call('list', { table: 'issues' })).toMatchObject({ isError: false });
    const line = lineOf(server.stderr, 'handled by nobody');
    expect(line).toMatch(/ERROR .*"plugin":"bad\.mjs","entry":"\.\/bad\.mjs","at":"[^"]*bad\.mjs:8:\d+".*forgotten/);
    server.leave();
    expect(await server.ended()).toBe(0);
  });

  test('by an exception in a timer is told, and the server ends in order, its calls answered', async () => {
    const server = start('./bad.mjs', late('', "setInterval(() => { throw new Error('ticking'); }, 50);"));
    const [slow, made] = [server.call('late'), server.call('create', { table: 'issues', data: { title: 'x' } })];
    expect((await slow).body).toEqual({ value: 'here' });
    expect(await made).toMatchObject({ isError: false });
    expect(await server.ended()).toBe(1);
    expect(server.stderr.match(/caught by nobody/g)).toHaveLength(1);
    expect(lineOf(server.stderr, 'caught by nobody')).toMatch(
      /the server ends\. worker: .*"plugin":"bad\.mjs".*ticking/,
    );
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  test.each([
    ['process.exit()', 1],
    ['process.exit(0)', 1],
    ['process.exit(7)', 7],
  ])('by %s is told, and looks like no end in order', async (exit, code) => {
    const server = start('./bad.mjs', late('', `setTimeout(() => ${exit}, 50);`));
    await expect(server.call('late')).rejects.toThrow('the server is gone');
    expect(await server.ended()).toBe(code);
    expect(lineOf(server.stderr, 'process.exit() was called')).toMatch(
      /worker: .*"plugin":"bad\.mjs".*"at":"[^"]*bad\.mjs:8:/,
    );
  });

  test('over HTTP as well', async () => {
    writeFileSync(join(directory, 'bad.mjs'), late("setTimeout(() => { throw new Error('late'); }, 1_000);"));
    const server = await HttpServer.start(directory, environment(directory, { MINI_APP_PLUGINS: './bad.mjs' }));
    expect(await server.ended()).toBe(1);
    expect(lineOf(server.stderr, 'caught by nobody')).toContain('"plugin":"bad.mjs"');
  });
});

test('a server with plugins that ends by itself blames nobody', async () => {
  const server = start('./bad.mjs', late(''));
  await server.call('late');
  server.leave();
  expect(await server.ended()).toBe(0);
  expect(server.stderr).not.toContain('process.exit');
});
