import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { conditional, migrate } from '../../src/events/migrate.js';
import { migrations } from '../../src/events/migrations.js';
import { type BundledScript, bundleScript } from '../helpers/bundle-script.js';
import { predecessorDatabase } from '../helpers/predecessor.js';
import { race } from '../helpers/race.js';
import { tempDir } from '../helpers/temp-dir.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

function shape(database: Database.Database): unknown[] {
  const sql = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name";
  return database.prepare(sql).all();
}

function opened(path: string): Database.Database {
  const database = new Database(path);
  onTestFinished(() => void database.close());
  return database;
}

describe('a database that is not fresh', () => {
  test('is left as it was when a migration fails', () => {
    const database = opened(join(tempDir(), 'table.db'));
    database.exec('CREATE TABLE rows (id TEXT PRIMARY KEY); CREATE VIEW _checkpoints AS SELECT 1');
    const before = shape(database);
    expect(() => migrate(database)).toThrow();
    expect(shape(database)).toEqual(before);
    expect(database.inTransaction).toBe(false);
  });

  test('of the predecessor gets what is missing and keeps what is there', () => {
    const database = predecessorDatabase(join(tempDir(), 'table.db'), { archive: false });
    onTestFinished(() => void database.close());
    database.exec(`INSERT INTO rows VALUES ('x', '{}', 1, 2); INSERT INTO _aliases VALUES ('a', '{}', NULL, NULL)`);
    migrate(database);
    expect(database.prepare('SELECT * FROM rows').get()).toEqual({
      id: 'x',
      data: '{}',
      created_at: 1,
      updated_at: 2,
      version: 0,
    });
    expect(database.prepare('SELECT params_schema FROM _aliases').pluck().get()).toBeNull();
    expect(database.prepare('SELECT count(*) FROM _row_history_archive').pluck().get()).toBe(0);
    const after = shape(database);
    migrate(database);
    expect(shape(database)).toEqual(after);
  });
});

test('migrating twice changes nothing', () => {
  const database = opened(join(tempDir(), 'table.db'));
  migrate(database);
  const before = shape(database);
  migrate(database);
  expect(shape(database)).toEqual(before);
});

test('every statement is one that can run again', () => {
  const database = opened(':memory:');
  for (let round = 0; round < 2; round++)
    for (const { statements } of migrations) for (const sql of statements) database.exec(conditional(sql));
});

describe('processes that open one fresh file at once', () => {
  let script: BundledScript;
  beforeAll(async () => {
    script = await bundleScript('test/helpers/open-table-child.ts');
  });
  afterAll(() => script.remove());

  test('all find it whole and all write to it', async () => {
    for (let round = 0; round < 3; round++) {
      const path = join(tempDir(), 'table.db');
      const said = await race(script.path, [path], 6);
      expect(said).toEqual(Array(6).fill({ journal: 'wal', adoption: null }));
      const database = opened(path);
      expect(database.prepare('SELECT seq FROM _events ORDER BY seq').pluck().all()).toEqual([1, 2, 3, 4, 5, 6]);
      expect(database.prepare('SELECT count(*) FROM rows').pluck().get()).toBe(6);
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    }
  }, 30_000);
});

describe('the embedded migrations', () => {
  test('are those of drizzle/table', () => {
    const folder = join(root, 'drizzle/table');
    const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
      entries: { tag: string }[];
    };
    expect(migrations.map(({ tag }) => tag)).toEqual(journal.entries.map(({ tag }) => tag));
    for (const { tag, statements } of migrations) {
      const file = readFileSync(join(folder, `${tag}.sql`), 'utf8');
      expect(statements).toEqual(file.split('--> statement-breakpoint').map((statement) => statement.trim()));
    }
  });

  test('are all that the table definitions ask for', () => {
    const directory = tempDir();
    cpSync(join(root, 'drizzle'), join(directory, 'drizzle'), { recursive: true });
    const before = readdirSync(join(directory, 'drizzle/table'));
    const config = `import { defineConfig } from ${JSON.stringify(join(root, 'node_modules/drizzle-kit/index.mjs'))};
      export default defineConfig({ dialect: 'sqlite', out: './drizzle/table',
        schema: ${JSON.stringify([join(root, 'src/events/tables.ts'), join(root, 'src/projections/*/table.ts')])} });`;
    writeFileSync(join(directory, 'drizzle.config.ts'), config);
    const bin = join(root, 'node_modules/drizzle-kit/bin.cjs');
    expect(existsSync(bin)).toBe(true);
    const output = execFileSync(process.execPath, [bin, 'generate'], { cwd: directory, encoding: 'utf8' });
    expect(output).toContain('No schema changes');
    expect(readdirSync(join(directory, 'drizzle/table'))).toEqual(before);
  }, 30_000);
});
