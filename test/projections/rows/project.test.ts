import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { created, deleted, type OpenLog, openLog, rowEvent, updated } from '../../helpers/open-log.js';
import { newDir, removeDir } from '../../helpers/temp-dir.js';

let directory: string;
let open: OpenLog;

beforeEach(() => {
  directory = newDir();
  open = openLog(directory);
});

afterEach(async () => {
  await open.close();
  removeDir(directory);
});

const order = () => open.connection.prepare('SELECT id FROM rows ORDER BY rowid').pluck().all();
const noted = () => open.connection.prepare('SELECT row_id FROM _foreign_writes').pluck().all();

describe('a second creation of a row', () => {
  test('fails and leaves the first as it was', async () => {
    await open.run((tx) => tx.append(created('x', { a: 1 })));
    await expect(open.run((tx) => tx.append(created('x', { a: 2 })))).rejects.toThrow();
    expect(open.rows.get('x')).toMatchObject({ data: '{"a":1}', version: 1 });
    expect(await open.log.head()).toBe(1);
  });
});

test('rows keep their place when they change, and get a new one when they come back', async () => {
  for (const id of ['a', 'b', 'c']) await open.run((tx) => tx.append(created(id)));
  await open.run((tx) => tx.append(updated('a', { n: 1 })));
  await open.run((tx) => tx.append(deleted('b')));
  expect(order()).toEqual(['a', 'c']);
  await open.run((tx) => tx.append(rowEvent('row.restored', 'b', { data: {}, created_at: 5 })));
  expect(order()).toEqual(['a', 'c', 'b']);
  expect(open.rows.get('b')).toMatchObject({ createdAt: 5, version: 3 });
});

test('our own changes are nobody else’s', async () => {
  await open.run((tx) => tx.append(created('x')));
  await open.run((tx) => tx.append(updated('x', { n: 1 })));
  await open.run((tx) => tx.append(deleted('x')));
  await open.run((tx) => tx.append(rowEvent('row.imported', 'y', { data: {}, created_at: 1, updated_at: 1 })));
  expect(noted()).toEqual([]);
});
