/** Several sessions on one directory, as agents have them: no lost update, no error that a caller would see. */
import { expect, test } from 'vitest';
import { tempDir } from '../helpers/temp-dir.js';
import { expectWhole, query } from './proof.js';
import { Server, writeTable } from './server.js';

const processes = 8;
const writes = 200;
const increments = 20;

async function increment(server: Server, id: string): Promise<number> {
  for (let conflicts = 0; ; conflicts++) {
    const row = (await server.do('get', { table: 'issues', id })) as { version: number; data: { points: number } };
    const data = { points: row.data.points + 1 };
    const answer = await server.call('update', { table: 'issues', id, data, expected_version: row.version });
    if (!answer.isError) return conflicts;
    if (answer.body.code !== 'VERSION_CONFLICT') throw new Error(answer.text);
    expect(answer.body).toMatchObject({ expected: row.version, row: { id } });
  }
}

/** Writes by four callers at once; those whose turn it is count the shared row up. */
async function work(server: Server, name: number, shared: string): Promise<void> {
  let at = 0;
  const caller = async () => {
    for (let own = at++; own < writes; own = at++) {
      if (own % (writes / increments) === 0) await increment(server, shared);
      else await server.do('create', { table: 'issues', data: { title: `${name} ${own}` } });
    }
  };
  await Promise.all([caller(), caller(), caller(), caller()]);
}

test(`${processes} processes, ${writes} writes each, one table`, async () => {
  const directory = tempDir();
  const path = writeTable(`${directory}/user`);
  const first = new Server(directory);
  const { id } = await first.do('create', { table: 'issues', data: { title: 'shared', points: 0 } });
  const servers = Array.from({ length: processes }, () => new Server(directory));
  await Promise.all(servers.map((server, at) => work(server, at, String(id))));
  expect(await first.do('get', { table: 'issues', id })).toMatchObject({ data: { points: processes * increments } });
  await Promise.all([first, ...servers].map((server) => server.stop()));
  for (const { stderr } of servers) expect(stderr).not.toMatch(/locked|error/i);
  expect(query(path, 'SELECT max(seq) AS last, count(*) AS n, max(row_version) AS version FROM _events')).toEqual([
    { last: processes * writes + 1, n: processes * writes + 1, version: processes * increments + 1 },
  ]);
  await expectWhole(path);
}, 120_000);
