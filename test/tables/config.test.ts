import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../../src/tables/config.js';
import { envFileName, parseEnvFile } from '../../src/tables/env-file.js';
import { refusal } from '../schema/refusal.js';

function directory(envFile?: string): string {
  const path = mkdtempSync(join(tmpdir(), 'config-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  if (envFile !== undefined) writeFileSync(join(path, envFileName), envFile);
  return path;
}

const load = (env: NodeJS.ProcessEnv, cwd = directory()): Config => loadConfig({ HOME: '/home/me', ...env }, cwd);

describe('loadConfig', () => {
  it('takes plugins from the environment only: a cloned repository cannot run code', () => {
    const text = './here.mjs, worker:./there.mjs';
    expect(load({ MINI_APP_PLUGINS: text }).plugins).toEqual(['./here.mjs', 'worker:./there.mjs']);
    const cwd = directory('MINI_APP_PLUGINS=./evil.mjs\n');
    expect(refusal('CONFIG_ERROR', () => load({}, cwd)).fields).toMatchObject({ variable: 'MINI_APP_PLUGINS' });
    expect(load({ MINI_APP_PLUGINS: text }, cwd).plugins).toHaveLength(2);
  });

  it.each([
    [
      'MINI_APP_BACKUP_RETENTION',
      ['abc', '0', '-1', '1.5', ' 3', '4294967296', '1e3', '99999999999'],
      'an integer from 1 to 4294967295',
    ],
    ['MINI_APP_SNAPSHOT_RETENTION', ['abc', '0'], 'an integer from 1'],
    ['MINI_APP_HISTORY_KEEP_RECENT', ['abc', '-1', '1 '], 'an integer from 0'],
    ['MINI_APP_HISTORY_CHUNK_MIN', ['x'], 'an integer from 0'],
    ['MINI_APP_PLUGIN_MEMORY_MB', ['1', 'much'], 'an integer from 16'],
    ['MINI_APP_SNAPSHOT_EVERY', ['0', 'often'], 'an integer from 1'],
    ['MINI_APP_S3_VIRTUAL_HOSTED_STYLE', ['yes', '2'], 'true, 1, false or 0'],
    ['MINI_APP_LOG', ['loud'], 'off, error, warn, info, debug, trace'],
    ['MINI_APP_DB', ['a\0b'], 'a path'],
    ['MINI_APP_PLUGINS', [',', './a.mjs,,b', 'worker:', 'a\0b'], 'a list of modules'],
    ['MINI_APP_PLUGINS', ['Worker:./a.mjs', 'worker :./a.mjs', 'WORKER:a'], "written with 'worker:'"],
    ['MINI_APP_PLUGINS', ['./a.mjs,./a.mjs', './a.mjs, worker:./a.mjs'], 'each module once'],
  ])('refuses a malformed %s and says what is allowed', (variable, values, allowed) => {
    for (const value of values) {
      const error = refusal('CONFIG_ERROR', () => load({ [variable]: value }));
      expect(error.fields).toMatchObject({ variable });
      expect(error.message).toContain(`${variable} must be`);
      expect(error.message).toContain(allowed);
    }
  });

  it('has a default for everything', () => {
    const cwd = directory();
    expect(load({}, cwd)).toEqual({
      cwd,
      userDir: '/home/me/.mini-app',
      projectDir: join(cwd, '.mini-app'),
      legacy: null,
      backupRetention: 10,
      snapshotRetention: 10,
      historyKeepRecent: 16,
      historyChunkMin: 48,
      snapshotEvery: null,
      plugins: [],
      pluginMemoryMb: 256,
      httpToken: null,
      managedViews: [],
      viewsDir: '/home/me/.mini-app',
      logLevel: 'info',
      env: { HOME: '/home/me' },
    });
  });

  it('reads every limit, 0 included where it means something', () => {
    const config = load({
      MINI_APP_BACKUP_RETENTION: '1',
      MINI_APP_SNAPSHOT_RETENTION: '4294967295',
      MINI_APP_HISTORY_KEEP_RECENT: '0',
      MINI_APP_HISTORY_CHUNK_MIN: '0',
      MINI_APP_SNAPSHOT_EVERY: '500',
      MINI_APP_HTTP_TOKEN: 'secret',
    });
    expect(config).toMatchObject({
      backupRetention: 1,
      snapshotRetention: 4294967295,
      historyKeepRecent: 0,
      historyChunkMin: 0,
      snapshotEvery: 500,
      httpToken: 'secret',
    });
  });

  it('takes blank values for unset, and a blank directory for a scope switched off', () => {
    const config = load({ MINI_APP_BACKUP_RETENTION: '', MINI_APP_HTTP_TOKEN: '', MINI_APP_LOG: ' ', MINI_APP_DB: '' });
    expect(config).toMatchObject({
      backupRetention: 10,
      httpToken: null,
      managedViews: [],
      viewsDir: '/home/me/.mini-app',
      logLevel: 'info',
      legacy: null,
    });
    expect(load({ MINI_APP_USER_DIR: '' }).userDir).toBeNull();
  });

  it('expands ~ and resolves against the working directory', () => {
    const cwd = directory();
    expect(load({ MINI_APP_USER_DIR: '~', MINI_APP_PROJECT_DIR: '~/p' }, cwd)).toMatchObject({
      userDir: '/home/me',
      projectDir: '/home/me/p',
    });
    expect(load({ MINI_APP_USER_DIR: 'u', MINI_APP_PROJECT_DIR: '~x/p' }, cwd)).toMatchObject({
      userDir: join(cwd, 'u'),
      projectDir: join(cwd, '~x/p'),
    });
    expect(load({ HOME: '/$&', MINI_APP_USER_DIR: '~/a' }).userDir).toBe('/$&/a');
  });

  it('is in legacy mode when MINI_APP_DB is set, and then mounts directories only on request', () => {
    const cwd = directory();
    expect(load({ MINI_APP_SCHEMA: 's.yaml' }, cwd).legacy).toBeNull();
    expect(load({ MINI_APP_DB: 'a.db' }, cwd)).toMatchObject({
      userDir: null,
      projectDir: null,
      legacy: { schemaPath: join(cwd, 'schema.yaml'), databasePath: join(cwd, 'a.db') },
    });
    expect(load({ MINI_APP_DB: '~/a.db', MINI_APP_SCHEMA: '~/s.yaml', MINI_APP_USER_DIR: 'u' }, cwd)).toMatchObject({
      userDir: join(cwd, 'u'),
      projectDir: null,
      legacy: { schemaPath: '/home/me/s.yaml', databasePath: '/home/me/a.db' },
    });
  });

  it.each([
    [{ MINI_APP_LOG: 'DEBUG', RUST_LOG: 'error' }, 'debug'],
    [{ RUST_LOG: 'warn' }, 'warn'],
    [{ RUST_LOG: 'error,mini_app_mcp=trace,rmcp=warn' }, 'trace'],
    [{ RUST_LOG: 'rmcp=debug' }, 'info'],
    [{ RUST_LOG: 'nonsense' }, 'info'],
  ])('takes the log level of %j', (env, level) => {
    expect(load(env).logLevel).toBe(level);
  });

  it('reads the env file of the working directory; the environment wins, also with an empty value', () => {
    const cwd = directory(
      'MINI_APP_BACKUP_RETENTION=3\nMINI_APP_SNAPSHOT_RETENTION=4\nMINI_APP_S3_BUCKET=b\nMINI_APP_HTTP_TOKEN=t',
    );
    const config = load({ MINI_APP_SNAPSHOT_RETENTION: '5', MINI_APP_HTTP_TOKEN: '' }, cwd);
    expect(config).toMatchObject({ backupRetention: 3, snapshotRetention: 5, httpToken: null });
    expect(config.env).toMatchObject({ MINI_APP_S3_BUCKET: 'b' });
  });

  it('names the line of a malformed env file and refuses one that cannot be read', () => {
    const error = refusal('CONFIG_ERROR', () => load({}, directory('A=1\n\nnonsense\n')));
    expect(error.message).toContain(`${envFileName}:3: expected KEY=VALUE`);
    const cwd = directory();
    mkdirSync(join(cwd, envFileName));
    expect(refusal('CONFIG_ERROR', () => load({}, cwd)).message).not.toContain(cwd);
  });
});

describe('parseEnvFile', () => {
  it.each(['A', '=1', '1A=x', 'A B=1', 'A="x', "A='x", 'A="x" y', "A='it's'", 'A="x\\"'])('refuses %j', (line) => {
    expect(refusal('CONFIG_ERROR', () => parseEnvFile(`\n${line}\n`)).message).toContain(`${envFileName}:2: `);
  });

  it('reads comments, quotes, export, BOM and CRLF; the first declaration wins', () => {
    const text =
      '\ufeff# comment\r\nA=1\r\nA=2\r\n  export B = two words  # why\r\nC="a # b\\n\\"q\\" \\$x \\z" # c\r\n' +
      "D='raw \\n #'\r\nE=\r\nF=#none\r\nG=a#b\r\nH=a=b\r\n__proto__=p\r\n";
    expect([...parseEnvFile(text)]).toEqual([
      ['A', '1'],
      ['B', 'two words'],
      ['C', 'a # b\n"q" $x \\z'],
      ['D', 'raw \\n #'],
      ['E', ''],
      ['F', ''],
      ['G', 'a#b'],
      ['H', 'a=b'],
      ['__proto__', 'p'],
    ]);
  });
});
