/**
 * Makes a data directory as the predecessor leaves one, by its own statements (storage formats: docs/history-and-archive.md):
 * both scopes, archived and raw history, aliases of every kind, backups and snapshots, and files of its older versions that
 * lack columns and tables. Fixtures are only added to: `tsx scripts/freeze-predecessor.ts DIRECTORY` refuses one that exists.
 */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compress } from '@mongodb-js/zstd';
import Database from 'better-sqlite3';

const root = process.argv[2] ?? '';
if (root === '' || existsSync(root)) throw new Error('usage: tsx scripts/freeze-predecessor.ts NEW-DIRECTORY');

const start = 1_700_000_000;
const [keepRecent, chunkMin] = [16, 48];
const id = (n: number) => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

const rowsTable = `CREATE TABLE rows (id TEXT PRIMARY KEY, data TEXT NOT NULL, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL);`;
const aliasesTable = `CREATE TABLE _aliases (name TEXT PRIMARY KEY, filter TEXT NOT NULL, default_limit INTEGER,
  description TEXT, params_schema TEXT);`;
const historyTable = `CREATE TABLE _row_history (id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL,
    row_id TEXT NOT NULL, version INTEGER NOT NULL, recorded_at INTEGER NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete')), data_json TEXT, prev_data_json TEXT);
  CREATE UNIQUE INDEX idx_row_history_version ON _row_history (table_name, row_id, version);
  CREATE INDEX idx_row_history_lookup ON _row_history (table_name, row_id, recorded_at DESC);`;
const archiveTable = `CREATE TABLE _row_history_archive (id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL,
    row_id TEXT NOT NULL, version_start INTEGER NOT NULL, version_end INTEGER NOT NULL, recorded_start INTEGER NOT NULL,
    recorded_end INTEGER NOT NULL, entry_count INTEGER NOT NULL, format TEXT NOT NULL DEFAULT 'jsonl-zstd',
    blob BLOB NOT NULL);
  CREATE INDEX idx_row_history_archive_lookup ON _row_history_archive (table_name, row_id, recorded_start DESC);`;
const globalTable = (more: string) => `CREATE TABLE _global_aliases (name TEXT PRIMARY KEY, sources_json TEXT NOT NULL,
  aggregator_json TEXT, filter TEXT NOT NULL, default_limit INTEGER, description TEXT, params_schema TEXT${more});`;

const notesSchema = schemaYaml('field_notes', [
  ['title', 'string', true],
  ['body', 'string'],
  ['done', 'boolean'],
  ['size', 'number'],
  ['ids', 'array'],
]);
const logSchema = schemaYaml('log', [
  ['tag', 'string'],
  ['amount', 'number'],
]);
const oldSchema = 'table: old\nfields:\n  - name: title\n    type: string\n    required: true\n';

async function userScope(scope: string): Promise<void> {
  writeSchema(scope, 'notes', notesSchema);
  const path = join(scope, 'notes', 'notes.db');
  await notes(path);
  old(scope);
  const global = create(join(scope, '_global.db'), globalTable(''));
  const alias = global.prepare('INSERT INTO _global_aliases VALUES (?, ?, ?, ?, ?, ?, ?)');
  const single = '{"kind":"single","value":"notes"}';
  alias.run('done', single, null, '{"type":"eq","field":"done","value":true}', 5, 'Finished ones', null);
  const template = '{"type":"like","field":"title","pattern":"{{ start }}%"}';
  alias.run('starting', single, null, template, null, null, '["start"]');
  seal(global);
  for (const stamp of [start + 100, start + 200]) {
    put(path, join(scope, '_backup', `notes.${stamp}.db`));
    put(join(scope, 'notes', 'schema.yaml'), join(scope, '_backup', `notes.${stamp}.yaml`));
  }
  put(path, join(scope, '_snapshots', `notes.${start + 300}.db`));
}

async function projectScope(scope: string): Promise<void> {
  for (const [name, count] of [
    ['log_a', 2],
    ['log_b', 3],
  ] as const) {
    writeSchema(scope, name, logSchema);
    const database = create(join(scope, name, `${name}.db`), rowsTable, aliasesTable, historyTable, archiveTable);
    const writer = new Writer(database, 'log');
    for (let n = 1; n <= count; n++) await writer.create(id(n), `{"amount":${n}.5,"tag":"t${n % 2}"}`);
    seal(database);
  }
  const global = create(join(scope, '_global.db'), globalTable(', fields TEXT, order_by TEXT'));
  const alias = global.prepare('INSERT INTO _global_aliases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const any = '{"type":"like","field":"tag","pattern":"t%"}';
  const sum = '{"kind":"sum","field":"amount"}';
  const byTag = `{"kind":"group_by","by_field":"tag","having":null,"inner":${sum}}`;
  alias.run('total', '{"kind":"multi","value":["log_a","log_b"]}', sum, any, null, null, null, null, null);
  alias.run('by_tag', '{"kind":"pattern","value":"log_*"}', byTag, any, null, null, null, null, null);
  const largest = '[{"field":"amount","direction":"desc"}]';
  const fields = '{"mode":"list","fields":["amount"]}';
  alias.run('largest', '{"kind":"single","value":"log_b"}', null, any, 2, null, null, fields, largest);
  seal(global);
}

/** The directory is called notes, the schema's table is not: history carries the schema's name. */
async function notes(path: string): Promise<void> {
  const database = create(path, rowsTable, aliasesTable, historyTable, archiveTable);
  const writer = new Writer(database, 'field_notes');
  await writer.create(id(1), '{"done":false,"title":"v1"}');
  for (let n = 2; n <= 130; n++) await writer.update(id(1), `{"done":${n % 2 === 0},"title":"v${n}"}`);
  await writer.create(id(2), '{"ids":[18446744073709551615,9007199254740993],"size":1.0,"title":"größer 😀"}');
  await writer.create(id(3), '{"title":"gone"}');
  await writer.delete(id(3));
  await writer.create(id(4), '{"title":"first life"}');
  await writer.delete(id(4));
  await writer.create(id(4), '{"title":"second life"}');
  // A batch's replace leaves no history.
  database
    .prepare('INSERT INTO rows VALUES (?, ?, ?, ?)')
    .run(id(5), '{"body":null,"done":true,"title":"of a batch"}', start + 150, start + 150);
  const alias = database.prepare('INSERT INTO _aliases VALUES (?, ?, ?, ?, ?)');
  alias.run('local', '{"type":"eq","field":"title","value":"of a batch"}', 3, 'Kept in the table', null);
  alias.run('done', '{"type":"eq","field":"done","value":false}', null, 'The scope has its own', null);
  seal(database);
}

/** As versions before the archive, before the parameters of aliases, and with the state before each change. */
function old(scope: string): void {
  writeSchema(scope, 'old', oldSchema);
  const database = create(join(scope, 'old', 'old.db'), rowsTable, historyTable);
  database.exec(
    'CREATE TABLE _aliases (name TEXT PRIMARY KEY, filter TEXT NOT NULL, default_limit INTEGER, description TEXT)',
  );
  database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)').run(id(1), '{"title":"two"}', start, start + 1);
  database
    .prepare('INSERT INTO _aliases VALUES (?, ?, ?, ?)')
    .run('twos', '{"type":"eq","field":"title","value":"two"}', null, null);
  const entry = database.prepare(`INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json,
    prev_data_json) VALUES ('old', ?, ?, ?, ?, ?, ?)`);
  entry.run(id(1), 1, start, 'create', '{"title":"one"}', null);
  entry.run(id(1), 2, start + 1, 'update', '{"title":"two"}', '{"title":"one"}');
  entry.run(id(2), 1, start, 'create', '{"title":"removed"}', null);
  entry.run(id(2), 2, start + 2, 'delete', null, '{"title":"removed"}');
  seal(database);
}

/** Row and history in one transaction, then the roll of the oldest entries. Each change takes a second. */
class Writer {
  #now = start;

  constructor(
    private readonly database: Database.Database,
    private readonly table: string,
  ) {}

  async create(row: string, data: string): Promise<void> {
    this.#now++;
    this.database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)').run(row, data, this.#now, this.#now);
    await this.#record(row, 'create', data);
  }

  async update(row: string, data: string): Promise<void> {
    this.#now++;
    this.database.prepare('UPDATE rows SET data = ?, updated_at = ? WHERE id = ?').run(data, this.#now, row);
    await this.#record(row, 'update', data);
  }

  async delete(row: string): Promise<void> {
    this.#now++;
    const data = this.database.prepare<[string], string>('SELECT data FROM rows WHERE id = ?').pluck().get(row) ?? '';
    this.database.prepare('DELETE FROM rows WHERE id = ?').run(row);
    await this.#record(row, 'delete', data);
  }

  async #record(row: string, op: string, data: string): Promise<void> {
    const newest = `SELECT max(v) FROM (SELECT coalesce(max(version), 0) AS v FROM _row_history WHERE row_id = :row
      UNION ALL SELECT coalesce(max(version_end), 0) FROM _row_history_archive WHERE row_id = :row)`;
    this.database
      .prepare(`INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json)
        VALUES (:table, :row, 1 + (${newest}), :now, :op, :data)`)
      .run({ table: this.table, row, now: this.#now, op, data });
    await this.#roll(row);
  }

  async #roll(row: string): Promise<void> {
    type Entry = { id: number; version: number; recorded_at: number; op: string; data_json: string };
    const sql = 'SELECT id, version, recorded_at, op, data_json FROM _row_history WHERE row_id = ? ORDER BY version';
    const raw = this.database.prepare<[string], Entry>(sql).all(row);
    if (raw.length <= keepRecent + chunkMin) return;
    const oldest = raw.slice(0, Math.min(raw.length - keepRecent, chunkMin + 1));
    const [first, last] = [oldest[0], oldest.at(-1)];
    const lines = oldest.map(({ id: _, ...line }) => `${JSON.stringify(line)}\n`).join('');
    const range = [first?.version, last?.version, first?.recorded_at, last?.recorded_at, oldest.length];
    this.database
      .prepare(`INSERT INTO _row_history_archive (table_name, row_id, version_start, version_end, recorded_start,
        recorded_end, entry_count, format, blob) VALUES (?, ?, ?, ?, ?, ?, ?, 'jsonl-zstd', ?)`)
      .run(this.table, row, ...range, await compress(Buffer.from(lines)));
    for (const entry of oldest) this.database.prepare('DELETE FROM _row_history WHERE id = ?').run(entry.id);
  }
}

function create(path: string, ...statements: readonly string[]): Database.Database {
  mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path);
  database.pragma('page_size = 1024');
  for (const statement of statements) database.exec(statement);
  return database;
}

/** The predecessor's files say in their header that they use WAL. */
function seal(database: Database.Database): void {
  database.exec('VACUUM');
  database.pragma('journal_mode = WAL');
  database.close();
}

function writeSchema(scope: string, name: string, text: string): void {
  mkdirSync(join(scope, name), { recursive: true });
  writeFileSync(join(scope, name, 'schema.yaml'), text);
}

function put(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** As its writer of YAML leaves them. */
function schemaYaml(table: string, fields: readonly [name: string, type: string, required?: boolean][]): string {
  const items = fields.map(
    ([name, type, required]) =>
      `- name: ${name}\n  type: ${type}\n  required: ${required === true}\n  description: null\n`,
  );
  const head = `table: ${table}\ntitle: null\ndescription: null\nfields:\n`;
  return `${head}${items.join('')}dump: null\nhistory: full\n`;
}

await userScope(join(root, 'user'));
await projectScope(join(root, 'project'));
