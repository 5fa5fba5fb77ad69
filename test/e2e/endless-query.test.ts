/** One client's SQL that would not end leaves the server to the others. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../helpers/http-server.js';
import { tempDir } from '../helpers/temp-dir.js';
import { environment, program, writeTable } from './server.js';

let child: ChildProcess | null = null;
afterEach(() => {
  child?.kill('SIGKILL');
});

/** Starts a server over HTTP. Returns its address. */
async function serve(directory: string): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const started = spawn(process.execPath, [program, '--mcp-http', '--bind', '127.0.0.1:0'], {
    cwd: directory,
    env: environment(directory),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child = started;
  let stderr = '';
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await expect.poll(() => stderr, { timeout: 20_000 }).toMatch(/addr=\S+:\d+/);
  return `http://127.0.0.1:${/addr=\S+:(\d+)/.exec(stderr)?.[1]}/mcp`;
}

test('a product of tables is refused, and another client is answered meanwhile', async () => {
  const directory = tempDir();
  writeTable(`${directory}/user`);
  const address = await serve(directory);
  const [greedy, other] = await Promise.all([connect(address, 'greedy'), connect(address, 'other')]);
  const call = async ({ client }: typeof other, name: string, args: object) => {
    const answer = await client.callTool({ name, arguments: { table: 'issues', ...args } });
    return JSON.parse((answer.content as { text: string }[])[0]?.text ?? 'null');
  };
  const ops = Array.from({ length: 400 }, (_, points) => ({ op: 'data_insert', data: { title: 't', points } }));
  await call(greedy, 'schema_batch', { ops });
  const { id } = (await call(other, 'list', { limit: 1 }))[0];

  const product = { op: 'query', sql: 'SELECT count(*) FROM rows a, rows b, rows c, rows d' };
  let isRefused = false;
  const refused = call(greedy, 'schema_batch', { ops: [product] }).finally(() => {
    isRefused = true;
  });
  let answered = 0;
  let slowest = 0;
  while (!isRefused) {
    const start = performance.now();
    expect(await call(other, 'get', { id })).toMatchObject({ id });
    expect(await call(other, 'update', { id, data: { points: answered } })).toMatchObject({ id });
    slowest = Math.max(slowest, performance.now() - start);
    answered++;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await refused).toMatchObject({ kind: 'business', code: 'VALIDATION_ERROR', field: 'ops[0].sql' });
  expect(answered).toBeGreaterThan(10);
  expect(slowest).toBeLessThan(1_500);

  const pairs = { op: 'query', sql: 'SELECT count(*) AS n FROM rows a, rows b' };
  expect((await call(greedy, 'schema_batch', { ops: [pairs] })).results).toMatchObject([{ rows: [{ n: 160_000 }] }]);
  await Promise.all([greedy, other].map(({ client }) => client.close()));
});
