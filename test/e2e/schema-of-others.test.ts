/** What one process does to a schema holds in the others, without a reload. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../helpers/temp-dir.js';
import { Server, writeTable } from './server.js';

let one: Server;
let other: Server;
let directory: string;

beforeEach(async () => {
  directory = tempDir();
  writeTable(`${directory}/user`);
  one = new Server(directory);
  other = new Server(directory);
  await Promise.all([one, other].map((server) => server.do('info', { table: 'issues' })));
});

afterEach(async () => {
  await Promise.all([one, other].map((server) => server.stop()));
  expect(one.stderr + other.stderr).not.toMatch(/call failed/);
});

const numbered = {
  table: 'issues',
  scope: 'user',
  fields: [
    { name: 'title', type: 'number', required: true },
    { name: 'owner', type: 'string', required: true },
  ],
};
const texts = { ...numbered, fields: [{ name: 'title', type: 'string', required: true }] };

test('a row is held to the schema that another process has just made', async () => {
  const { id } = await other.do('create', { table: 'issues', data: { title: 'a' } });
  await one.do('schema_update', numbered);
  const writes: [string, object][] = [
    ['create', { data: { title: 'text' } }],
    ['update', { id, data: { title: 'text' } }],
    ['schema_batch', { ops: [{ op: 'data_insert', data: { title: 'text' } }] }],
    ['content_replace', { id, field: 'title', old_str: 'a', new_str: 'b' }],
  ];
  for (const [tool, args] of writes)
    expect(await other.call(tool, { table: 'issues', ...args })).toMatchObject({ isError: true });
  await other.do('create', { table: 'issues', data: { title: 1, owner: 'me' } });
  expect(await other.do('info', { table: 'issues' })).toMatchObject({
    fields: [{ type: 'number' }, { name: 'owner' }],
  });
});

test('while one process changes the schema to and fro, the other writes nothing that its moment refuses', async () => {
  let isOver = false;
  const changes = (async () => {
    for (let round = 0; round < 8; round++) await one.do('schema_update', round % 2 === 0 ? numbered : texts);
    isOver = true;
  })();
  let kept = 0;
  while (!isOver) {
    const answers = await Promise.all(
      [{ title: 'text' }, { title: 1, owner: 'me' }].map((data) => other.call('create', { table: 'issues', data })),
    );
    for (const { isError, body } of answers) {
      if (!isError) kept++;
      else expect(body).toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  }
  await changes;
  expect(kept).toBeGreaterThan(0);
  await expectFitting();
});

/** Every row fits the schema that stood before it in the log. */
async function expectFitting(): Promise<void> {
  const { query } = await import('./proof.js');
  const events = query(`${directory}/user/issues/issues.db`, 'SELECT type, body FROM _events ORDER BY seq') as {
    type: string;
    body: string;
  }[];
  let isNumber = false;
  for (const { type, body } of events) {
    const parsed = JSON.parse(body);
    if (type === 'schema.changed') isNumber = /title[\s\S]*type: number/.test(parsed.after);
    if (type === 'row.created') expect(typeof parsed.data.title).toBe(isNumber ? 'number' : 'string');
  }
}

test('a table that another process made is found, and one that it deleted is not', async () => {
  await one.do('schema_create', { ...texts, table: 'notes' });
  expect(await other.do('list', { table: 'notes' })).toEqual([]);
  await one.do('schema_delete', { table: 'notes', scope: 'user' });
  for (const [tool, args] of [
    ['list', {}],
    ['create', { data: { title: 'a' } }],
    ['info', {}],
  ] as const) {
    const answer = await other.call(tool, { table: 'notes', ...args });
    expect(answer.body).toMatchObject({ code: 'TABLE_NOT_FOUND', table: 'notes' });
  }
  await one.do('schema_create', { ...texts, table: 'later' });
  rmSync(`${directory}/user/later`, { recursive: true });
  expect((await other.call('create', { table: 'later', data: { title: 'a' } })).body).toMatchObject({
    code: 'TABLE_NOT_FOUND',
  });
});
