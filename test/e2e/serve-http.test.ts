/** The server as a process: how it starts, what it refuses, how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { ask, callOf, connect, rpc, writeIssues } from '../helpers/http-server.js';
import { newDir, removeDir, tempDir } from '../helpers/temp-dir.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
let bundled: string;

/** The program as it ships, so that a test pays for starting a server and not for compiling one. */
beforeAll(async () => {
  bundled = newDir();
  symlinkSync(join(root, 'node_modules'), join(bundled, 'node_modules'));
  await build(bundleOptions({ server: join(root, 'test/helpers/http-process.ts') }, bundled));
});

afterAll(() => removeDir(bundled));

interface Process {
  readonly child: ChildProcess;
  stderr: string;
  readonly ended: Promise<number | null>;
}

const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function run(directory: string, args: string[], environment: Record<string, string> = {}): Process {
  const env = {
    PATH: process.env.PATH,
    MINI_APP_USER_DIR: join(directory, 'user'),
    MINI_APP_PROJECT_DIR: join(directory, 'project'),
    ...environment,
  };
  const child = spawn(process.execPath, [join(bundled, 'server.js'), '--mcp-http', ...args], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const started: Process = { child, stderr: '', ended: once(child, 'exit').then(([code]) => code) };
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    started.stderr += chunk;
  });
  return started;
}

async function portOf(server: Process): Promise<number> {
  const line = /serving MCP over streamable HTTP at \/mcp addr=\S+:(\d+) auth="([a-z-]+)"/;
  await expect.poll(() => server.stderr, { timeout: 20_000 }).toMatch(line);
  return Number(line.exec(server.stderr)?.[1]);
}

it('says where it listens, serves, and ends on a signal with everything kept', async () => {
  const directory = tempDir();
  writeIssues(directory);
  const server = run(directory, ['--bind', 'localhost:0']);
  const port = await portOf(server);
  expect(server.stderr).toContain('auth="loopback"');
  expect(server.stderr).not.toContain('.mcp.json');
  const { client } = await connect(`http://localhost:${port}/mcp`, 'person');
  await client.callTool({ name: 'create', arguments: { table: 'issues', data: { title: 'kept' } } });
  const started = performance.now();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(performance.now() - started).toBeLessThan(2_000);
  await client.close();
  const again = run(directory, ['--bind', '127.0.0.1:0'], { MINI_APP_HTTP_TOKEN: 's3cret' });
  const body = callOf(1, 'list', { table: 'issues' });
  const nextPort = await portOf(again);
  expect(again.stderr).toContain('auth="bearer-token"');
  expect((await ask(nextPort, { body })).status).toBe(401);
  const answer = await ask(nextPort, { headers: { Authorization: 'Bearer s3cret' }, body });
  expect(JSON.parse(answer.json.result.content[0].text)).toMatchObject([{ data: { title: 'kept' } }]);
  expect(again.stderr).not.toContain('s3cret');
});

it.each([
  [
    ['--bind', '0.0.0.0:0'],
    ['refusing to bind non-loopback address 0.0.0.0:0', 'MINI_APP_HTTP_TOKEN'],
  ],
  [
    ['--bind', '[::]:0'],
    ['refusing to bind non-loopback address [::]:0', 'MINI_APP_HTTP_TOKEN'],
  ],
  [['--bind', 'nonsense'], ['--bind must be HOST:PORT']],
  [['--allowed-host', 'a:1'], ['--allowed-host must be']],
  [['--allowed-origin', 'app.example'], ['--allowed-origin must be']],
  [['--bnid', 'x'], ['--bnid']],
])('%s does not start', async (args, parts) => {
  const server = run(tempDir(), args);
  expect(await server.ended).toBe(1);
  expect(server.stderr).toMatch(/^Error: .*/m);
  for (const part of parts) expect(server.stderr).toContain(part);
  expect(server.stderr).not.toMatch(/^\s+at /m);
});

it('says so when the address is taken', async () => {
  const directory = tempDir();
  const first = run(directory, ['--bind', '127.0.0.1:0']);
  const port = await portOf(first);
  const second = run(directory, ['--bind', `127.0.0.1:${port}`]);
  expect(await second.ended).toBe(1);
  expect(second.stderr).toMatch(/EADDRINUSE.*--bind another port/);
  expect((await ask(port, { body: rpc(1, 'ping') })).status).toBe(200);
});
