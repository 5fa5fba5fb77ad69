import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const tsx = import.meta.resolve('tsx');
let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'mini-app-cli-'));
  mkdirSync(join(directory, '.mini-app', 'notes'), { recursive: true });
  writeFileSync(
    join(directory, '.mini-app', 'notes', 'schema.yaml'),
    'table: notes\nfields:\n  - { name: title, type: string, required: true }\n',
  );
  file = join(directory, '.mini-app', 'notes', 'notes.db');
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Ended {
  code: number;
  out: string;
  err: string;
}

function run(...args: string[]): Promise<Ended> {
  return runIn(directory, ...args);
}

function runIn(cwd: string, ...args: string[]): Promise<Ended> {
  const env = { ...process.env, MINI_APP_USER_DIR: '', MINI_APP_ACTOR: 'operator', HOME: directory };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', tsx, main, ...args], { cwd, env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

function write(sql: string): void {
  const connection = new Database(file);
  connection.exec(sql);
  connection.close();
}

describe('what it starts as', () => {
  it('says what there is when it is asked for nothing', async () => {
    const { code, out, err } = await run();
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^[^\n]*--mcp[^\n]*--mcp-http[^\n]*\n$/);
  }, 120_000);

  it('tells its version and its help', async () => {
    expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const name of [
      'log',
      'verify',
      'rebuild',
      'reconcile',
      'replay',
      'restore-table',
      'purge-history',
      'compact',
      'doctor',
    ]) {
      expect(out).toContain(name);
    }
    expect(out).toContain('Exit codes');
  }, 120_000);

  it('ends with 2 for what it cannot understand', async () => {
    for (const args of [
      ['--mcp', '--mcp-http'],
      ['nonsense'],
      ['verify', '--nonsense'],
      ['restore-table', 'notes', '--to', 'x'],
      ['approvals', 'aprove', 'public/x'],
    ]) {
      const { code, out } = await run(...args);
      expect([args, code, out]).toEqual([args, 2, '']);
    }
  }, 120_000);

  it.each([
    [['--mcp', '--watch-plugin'], "unknown argument '--watch-plugin'; did you mean '--watch-plugins'?"],
    [['--mcp', '--bind', '127.0.0.1:0'], "unknown argument '--bind'"],
    [['--mcp-http', '--alowed-host=x'], "unknown argument '--alowed-host=x'; did you mean '--allowed-host'?"],
    [['--mcp-http', '--bind', '127.0.0.1:0', 'extra'], "unknown argument 'extra'"],
    [['approvals', 'aprove'], "approvals has no command 'aprove'; did you mean 'approve'?"],
  ])(
    'says what it does not know in %j',
    async (args, words) => {
      expect(await run(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(words) });
    },
    120_000,
  );
});

describe('a life of a table', () => {
  it('is verified, tampered with, reconciled, restored and looked at', async () => {
    expect(await run('verify')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^notes: ok, 0 events\n {2}head 0:0{64}\n$/),
    });
    // Rows in a table that has no events yet are adopted; what comes later is foreign.
    write(`INSERT INTO rows (id, data, created_at, updated_at) VALUES ('zero', '{"title":"zero"}', 1, 1)`);
    expect(await run('verify')).toMatchObject({ code: 0, out: expect.stringContaining('notes: ok, 2 events') });
    write(`INSERT INTO rows (id, data, created_at, updated_at) VALUES ('one', '{"title":"first"}', 1, 1)`);

    const found = await run('verify', 'notes');
    expect(found).toMatchObject({ code: 1, err: '' });
    expect(found.out).toContain('✗ rows: row one is not in the log');
    expect(await run('doctor')).toMatchObject({
      code: 1,
      out: expect.stringContaining('mini-app-mcp reconcile notes'),
    });

    expect(await run('reconcile', 'notes', '--dry-run')).toMatchObject({ code: 1 });
    const { code, out } = await run('reconcile', 'notes', '--json');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { table: 'notes', dry_run: false, rows: [{ id: 'one', op: 'create' }] },
    ]);

    write(`DELETE FROM rows WHERE id = 'one'`);
    expect(await run('rebuild', 'notes')).toMatchObject({ code: 0, out: expect.stringContaining('    one\n') });
    const log = await run('log', 'notes');
    expect(log.out).toContain('row.reconciled one v1  title="first"');
    expect(log.out).toContain('operator (cli:rebuild)  projection.rebuilt');

    const copy = join(directory, 'copy.db');
    expect(await run('replay', 'notes', '--to', '2', '--out', copy)).toMatchObject({ code: 0 });
    expect(await run('replay', 'notes', '--to', '2', '--out', copy)).toMatchObject({
      code: 4,
      err: expect.stringMatching(/^Error \[IO_ERROR\]: [^\n]*\nHint: [^\n]*\n$/),
    });
    expect(await run('restore-table', 'notes', '--to', '2')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 deleted'),
    });
    expect(await run('compact', 'notes')).toMatchObject({ code: 0 });
    expect(await run('purge-history', 'notes', '--max-per-row', '1')).toMatchObject({
      code: 0,
      out: 'notes: 1 entry of 1 row removed\n',
    });
    expect(await run('verify', '--json')).toMatchObject({ code: 0 });
    expect(await run('doctor')).toMatchObject({ code: 0, out: expect.stringContaining('Nothing needs attention.') });
  }, 240_000);

  it('that does not exist is not proven whole', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'mini-app-cli-'));
    expect(await runIn(empty, 'verify')).toEqual({
      code: 3,
      out: '',
      err: expect.stringContaining('There is no table'),
    });
    rmSync(empty, { recursive: true });
  }, 120_000);

  it('has names: an unknown one ends with 3', async () => {
    expect(await run('verify', 'nowhere')).toMatchObject({
      code: 3,
      err: expect.stringContaining('Error [TABLE_NOT_FOUND]'),
    });
  }, 120_000);
});
