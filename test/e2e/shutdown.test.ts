/** How a server ends: soon, with everything answered and nothing left lying about. */
import { existsSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { expectWhole, query } from './proof.js';
import { Server, writeTable } from './server.js';

let directory: string;
let path: string;

beforeEach(() => {
  directory = newDir();
  path = writeTable(`${directory}/user`);
});

afterEach(() => removeDir(directory));

/** The WAL is in the file, and nobody holds a lock. */
function expectLeftTidy(): void {
  const wal = `${path}-wal`;
  expect(existsSync(wal) ? statSync(wal).size : 0).toBe(0);
  const connection = new Database(path, { timeout: 0 });
  connection.exec('BEGIN EXCLUSIVE; ROLLBACK');
  connection.close();
}

describe.each([
  ['the client leaves', (server: Server) => server.leave()],
  ['SIGTERM comes', (server: Server) => server.kill('SIGTERM')],
  ['SIGINT comes', (server: Server) => server.kill('SIGINT')],
])('when %s', (_name, end) => {
  test('an idle server ends within two seconds and leaves its table tidy', async () => {
    const server = new Server(directory);
    await server.do('create', { table: 'issues', data: { title: 'x' } });
    const started = performance.now();
    end(server);
    expect(await server.ended()).toBe(0);
    expect(performance.now() - started).toBeLessThan(2000);
    expectLeftTidy();
  });

  test('a busy one answers what it took on first', async () => {
    const server = new Server(directory);
    await server.do('info', { table: 'issues' });
    const calls = Array.from({ length: 50 }, (_, at) =>
      server.do('create', { table: 'issues', data: { title: `${at}` } }),
    );
    const settled = Promise.allSettled(calls);
    await delay(5);
    end(server);
    expect(await server.ended()).toBe(0);
    const answered = (await settled).filter(({ status }) => status === 'fulfilled');
    expect(query(path, 'SELECT count(*) AS n FROM rows')).toEqual([{ n: answered.length }]);
    expectLeftTidy();
  });
});

test('thousands of requests in the pipe, then its end: all are answered, on lines of JSON only', async () => {
  const requests = 3000;
  const server = new Server(directory);
  const calls = Array.from({ length: requests }, (_, at) =>
    at % 3 === 0
      ? server.call('create', { table: 'issues', data: { title: `row ${at}` } })
      : server.call('list', { table: 'issues', limit: 1 }),
  );
  server.leave();
  const answers = await Promise.all(calls);
  const busy = answers.filter(({ body }) => body.code === 'BUSY').length;
  expect(answers.filter(({ isError, body }) => isError && body.code !== 'BUSY')).toEqual([]);
  expect(await server.ended()).toBe(0);
  expect(query(path, 'SELECT count(*) AS n FROM rows')).toEqual([{ n: requests / 3 - busy }]);
  expect(busy).toBe(0);
  for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(server.lines.length).toBeGreaterThanOrEqual(requests);
  await expectWhole(path);
});
