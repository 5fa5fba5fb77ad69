/**
 * Freezes what today's program writes as a fixture: a log as lines, the rows it folds to, and the database itself. Fixtures
 * are only added to, never edited: `tsx scripts/freeze-log.ts NAME` makes a new one and refuses a name that is taken.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { currentVersion } from '../src/events/catalogue.js';
import type { StoredEvent } from '../src/events/types.js';
import type { JsonText } from '../src/schema/json.js';
import { TableDatabase } from '../src/tables/table-database.js';

const name = process.argv[2] ?? '';
if (!/^[a-z0-9-]+$/.test(name)) throw new Error('usage: tsx scripts/freeze-log.ts NAME');
const fixtures = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
const lines = join(fixtures, 'log-v1', `${name}.jsonl`);
if (existsSync(lines)) throw new Error(`${name} is frozen; choose another name`);

const nobody = { actor: 'fixture', origin: { tool: 'test', session: 'fixture' } };
const emptyDigest = createHash('sha256').digest('hex');

const directory = mkdtempSync(join(tmpdir(), 'freeze-log-'));
const path = join(directory, 'table.db');
if (!name.startsWith('views')) predecessor();
await write();
freeze();
rmSync(directory, { recursive: true });

/** Rows and history that are to be adopted: digits, keys and texts that only survive as text. */
function predecessor(): void {
  const database = new Database(path);
  database.exec(`
    CREATE TABLE rows (id TEXT PRIMARY KEY, data TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
    CREATE TABLE _row_history (id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL, row_id TEXT NOT NULL,
      version INTEGER NOT NULL, recorded_at INTEGER NOT NULL, op TEXT NOT NULL, data_json TEXT, prev_data_json TEXT);
    INSERT INTO rows VALUES
      ('big', '{"n":12345678901234567890,"f":1.0,"title":"big"}', 100, 200),
      ('odd', 'no json', 101, 201),
      ('wide', ' {"title" : "wide"} ', 102, 202),
      ('keys', '{"10":1,"9":2,"__proto__":{"x":1},"title":"é😀\\u0001"}', 103, 203);
    INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json) VALUES
      ('notes', 'big', 1, 100, 'create', '{"title":"small"}'),
      ('notes', 'big', 2, 200, 'update', '{"n":12345678901234567890,"f":1.0,"title":"big"}');`);
  database.close();
}

async function write(): Promise<void> {
  let now = 1_760_000_000_000;
  const table = TableDatabase.open({
    path,
    name: 'notes',
    historyName: 'notes',
    archive: { keepRecent: 3, chunkMin: 2 },
    session: 'fixture',
    now: () => now,
  });
  const append = (type: string, rowId: string | null, body: unknown, key?: string) => {
    now += 1500;
    return table.log.append({
      caller: { actor: 'fixture', origin: { tool: 'test', session: 'fixture', client: 'freeze-log' } },
      ...(key === undefined
        ? {}
        : { idempotency: { key, digest: 'd'.repeat(64), remember: () => rowId, recall: () => {} } }),
      decide: (tx) => {
        tx.append({ type, version: currentVersion(type), rowId, body: JSON.stringify(body) as JsonText });
      },
    });
  };
  if (name.startsWith('views')) {
    await writeViews(append);
    await table.close();
    return;
  }
  const body = 'A line that is long enough to be spliced, and says so at length. '.repeat(3);
  await append('row.created', 'a', { data: { title: 'a', body, tags: [1, 'x', null] } }, 'key of a');
  await append('row.updated', 'a', { splice: { body: [[3, 4, 'sentence 😀']] } });
  await append('row.updated', 'a', { set: { n: 1 }, unset: ['tags'], order: ['n', 'title', 'body'] });
  await append('row.created', 'b', { data: { title: 'b' }, created_at: 5, updated_at: 6 });
  await append('row.updated', 'b', { data: { title: 'B' }, created_at: 5, history: 'off' });
  await append('row.deleted', 'b', {});
  await append('row.restored', 'b', { from_version: 1, data: { title: 'b' }, created_at: 5 });
  await append('row.restored', 'a', { from_version: 1, set: { tags: [1, 'x', null] }, unset: ['n'] });
  for (let n = 1; n <= 6; n++) await append('row.updated', 'a', { set: { n } });
  await append('row.created', 'gone', { data: { title: 'gone' }, history: 'off' });
  await append('row.deleted', 'gone', { history: 'off' });
  foreign(`UPDATE rows SET data = '{"title":"theirs"}', updated_at = 7 WHERE id = 'b'`);
  await append('row.updated', 'b', { set: { ours: true } });
  foreign(
    `INSERT INTO rows (id, data, created_at, updated_at) VALUES ('new', 'text', 8, 9); DELETE FROM rows WHERE id = 'wide'`,
  );
  for (const id of ['new', 'wide']) await table.log.append({ caller: nobody, decide: (tx) => tx.row(id)?.id });
  await append('schema.changed', null, { before: null, after: 'table: notes\nfields: []\n', scope: 'user' });
  await append('history.purged', null, { days: 0, max_per_row: 3, removed: [['b', 1, 1]] });
  await append('log.compacted', null, { upto: 0, hash: '0'.repeat(64), removed: 0, kept: emptyDigest });
  await append('projection.rebuilt', null, { projection: 'rows', discarded: ['x'], differences: 1 });
  await table.close();
}

/** What `_global.db` holds of published views. */
async function writeViews(append: (type: string, rowId: null, body: unknown) => Promise<unknown>): Promise<void> {
  const metadata = {
    ...{ service: 'example/Forecast', operation: 'example/Get', version: 1, name: 'forecast', title: 'City forecast' },
    ...{ description: 'Read a city forecast', readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    ...{ openWorldHint: false, output: 'json' },
  };
  const tool = { ...metadata, inputSchema: { type: 'object', properties: { city: { type: 'string' } } } };
  const view = 'public/forecast-tools';
  const [one, two] = ['1'.repeat(64), '2'.repeat(64)];
  const fact = { view, managed: true, plugin: 'forecast-tools@1.0.0' };
  await append('view.published', null, { ...fact, revision: 1, digest: one, before: [], after: [tool] });
  await append('view.approved', null, { view, digest: one });
  const changed = { ...tool, description: 'Read the forecast of a city', outputSchema: { type: 'object' } };
  await append('view.published', null, { ...fact, revision: 2, digest: two, before: [metadata], after: [changed] });
  await append('view.revoked', null, { view, digest: one });
  const own = { view: 'core/store', managed: false, plugin: null };
  await append('view.published', null, { ...own, revision: 1, digest: two, before: [], after: [] });
}

function foreign(sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

function freeze(): void {
  mkdirSync(join(fixtures, 'log-v1'), { recursive: true });
  const database = new Database(path);
  const events = database
    .prepare(
      `SELECT seq, commit_no AS "commit", row_id AS rowId, row_version AS rowVersion, type, event_version AS version, body,
         actor, origin, idempotency_key AS idempotencyKey, request_digest AS requestDigest, outcome, at_ms AS at,
         lower(hex(prev_hash)) AS prevHash, lower(hex(hash)) AS hash FROM _events ORDER BY seq`,
    )
    .all() as StoredEvent[];
  const rows = database.prepare('SELECT id, data, created_at, updated_at, version FROM rows ORDER BY id').all();
  database.pragma('journal_mode = DELETE');
  database.exec('VACUUM');
  database.close();
  writeFileSync(lines, events.map((event) => `${JSON.stringify(event)}\n`).join(''), { flag: 'wx' });
  writeFileSync(lines.replace(/jsonl$/, 'rows.json'), `${JSON.stringify(rows, null, 2)}\n`, { flag: 'wx' });
  if (name === 'every-type') copyFileSync(path, join(fixtures, 'table-v1.db'));
}
