import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { snapshotTables } from '../../src/ops/snapshot-tables.js';
import { fill, rowsIn, schemaOf, snapshotStore, storeIn } from '../helpers/snapshot-store.js';
import { tempDir } from '../helpers/temp-dir.js';

const s3 = {
  MINI_APP_S3_ENDPOINT: 'http://127.0.0.1:9',
  MINI_APP_S3_BUCKET: 'b',
  MINI_APP_S3_ACCESS_KEY_ID: 'k',
  MINI_APP_S3_SECRET_ACCESS_KEY: 's',
};

describe('a snapshot', () => {
  it('is of every table, in the order of names, below its scope', async () => {
    const store = snapshotStore();
    await fill(store, 'beta', 3);
    const result = await snapshotTables({ ...store, now: () => 1_700_000_000_999 }, {});
    const at = (root: string, table: string) => join(root, '_snapshots', `${table}.1700000000.db`);
    const entry = (table: string, scope: string, root: string) => {
      return { table, scope, snapshot_path: at(root, table), unix_secs: 1_700_000_000 };
    };
    expect(result).toEqual({
      snapshotted: [
        entry('alpha', 'user', store.user),
        entry('beta', 'user', store.user),
        entry('gamma', 'project', store.project),
      ],
      purged: [],
    });
    expect(rowsIn(at(store.user, 'beta'))).toEqual({ rows: 3, check: 'ok' });
    expect(rowsIn(at(store.user, 'alpha'))).toEqual({ rows: 0, check: 'ok' });
  });

  it('takes the next free second and keeps the newest generations', async () => {
    const store = { ...snapshotStore({ MINI_APP_SNAPSHOT_RETENTION: '2' }), now: () => 5_000 };
    const seconds: unknown[] = [];
    let last: unknown;
    for (let n = 0; n < 3; n++) {
      last = await snapshotTables(store, { table: 'alpha' });
      seconds.push(Reflect.get(last as object, 'snapshotted'));
    }
    expect(seconds.flat()).toMatchObject([{ unix_secs: 5 }, { unix_secs: 6 }, { unix_secs: 7 }]);
    expect(last).toMatchObject({ purged: [{ table: 'alpha', generations_removed: 1 }] });
    expect(readdirSync(join(store.user, '_snapshots'))).toEqual(['alpha.6.db', 'alpha.7.db']);
  });

  it('filters by scope, and a table of another scope gives nothing', async () => {
    const store = snapshotStore();
    expect(await snapshotTables(store, { scope: 'project' })).toMatchObject({ snapshotted: [{ table: 'gamma' }] });
    const none = await snapshotTables(store, { table: 'gamma', scope: 'user' });
    expect(none).toEqual({ snapshotted: [], purged: [] });
  });

  it('is of the database that legacy mode names', async () => {
    const directory = tempDir();
    writeFileSync(join(directory, 'schema.yaml'), schemaOf('issues'));
    mkdirSync(join(directory, 'data'));
    const store = storeIn(directory, { MINI_APP_DB: 'data/other.db' });
    await fill(store, 'issues', 2);
    const result = await snapshotTables(store, {});
    expect(result).toMatchObject({ snapshotted: [{ table: 'issues', scope: 'unknown' }] });
    const [file = ''] = readdirSync(join(directory, 'data', '_snapshots'));
    expect(rowsIn(join(directory, 'data', '_snapshots', file)).rows).toBe(2);
    expect(existsSync(join(directory, 'issues.db'))).toBe(false);
  });

  it('of one table that fails does not keep the others from theirs', async () => {
    const store = snapshotStore();
    await fill(store, 'beta', 1);
    writeFileSync(join(store.user, 'alpha', 'alpha.db'), 'x'.repeat(5_000));
    const error = await snapshotTables(store, {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'SNAPSHOT_ERROR',
      fields: {
        detail: 'alpha: the file is not a SQLite database',
        failed: [{ table: 'alpha', error: 'the file is not a SQLite database' }],
        snapshotted: ['beta', 'gamma'],
      },
    });
    expect(readdirSync(join(store.user, '_snapshots')).map((name) => name.split('.')[0])).toEqual(['beta']);
  });

  it('cannot be written where a file stands', async () => {
    const store = snapshotStore();
    writeFileSync(join(store.project, '_snapshots'), '');
    const error = await snapshotTables(store, { table: 'gamma' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SNAPSHOT_ERROR', message: expect.stringContaining('a file stands') });
    expect(String(error)).not.toContain(store.directory);
  });

  it('does not stall others, however big the table', async () => {
    const store = snapshotStore();
    await fill(store, 'beta', 25, 1_000_000);
    let worst = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      worst = Math.max(worst, performance.now() - last);
      last = performance.now();
    }, 1);
    await snapshotTables(store, { table: 'beta' });
    clearInterval(timer);
    expect(worst).toBeLessThan(500);
  });
});

describe('a dry run', () => {
  it('counts and creates nothing', async () => {
    const store = snapshotStore({ MINI_APP_SNAPSHOT_RETENTION: '1' });
    await fill(store, 'beta', 2);
    mkdirSync(join(store.user, '_snapshots'));
    for (const second of [1, 2, 3]) writeFileSync(join(store.user, '_snapshots', `beta.${second}.db`), '');
    expect(await snapshotTables(store, { dry_run: true })).toEqual({
      dry_run: true,
      affects: {
        target_tables: ['alpha', 'beta', 'gamma'],
        row_counts: { alpha: 0, beta: 2, gamma: 0 },
        would_purge_generations: { alpha: 0, beta: 2, gamma: 0 },
      },
    });
    expect(readdirSync(join(store.project, 'gamma'))).toEqual(['schema.yaml']);
    expect(readdirSync(store.project)).toEqual(['gamma']);
  });

  it('checks the settings of the upload and uploads nothing', async () => {
    const preview = await snapshotTables(snapshotStore(s3), { dry_run: true, upload: true, table: 'alpha' });
    expect(Object.keys(preview)).toEqual(['dry_run', 'affects']);
    const refused = snapshotTables(snapshotStore(), { dry_run: true, upload: true });
    await expect(refused).rejects.toMatchObject({ code: 'UPLOAD_NOT_CONFIGURED' });
  });
});

describe('what is refused', () => {
  it.each([
    [{ scope: 'global' }, 'SNAPSHOT_ERROR'],
    [{ scope: '' }, 'SNAPSHOT_ERROR'],
    [{ table: 'nobody' }, 'TABLE_NOT_FOUND'],
    [{ table: 'nobody', upload: true }, 'UPLOAD_NOT_CONFIGURED'],
  ])('%j is %s and leaves nothing', async (input, code) => {
    const store = snapshotStore();
    await expect(snapshotTables(store, input)).rejects.toMatchObject({ code });
    expect(existsSync(join(store.user, '_snapshots'))).toBe(false);
  });

  it('is told how to name a scope', async () => {
    await expect(snapshotTables(snapshotStore(), { scope: 'global' })).rejects.toMatchObject({
      hint: expect.stringContaining('project or user'),
    });
  });
});

describe('an upload that fails', () => {
  it('is reported and leaves the snapshot', async () => {
    const store = snapshotStore({ ...s3, MINI_APP_S3_ENDPOINT: 'http://s3.invalid' });
    const result = await snapshotTables(store, { table: 'alpha', upload: true });
    expect(result).toMatchObject({ uploaded: [], upload_errors: [{ table: 'alpha' }] });
    const [entry] = 'snapshotted' in result ? result.snapshotted : [];
    expect(rowsIn(entry?.snapshot_path ?? '').check).toBe('ok');
    expect(basename(entry?.snapshot_path ?? '')).toBe(`alpha.${entry?.unix_secs}.db`);
    expect(Object.keys(result)).toEqual(['snapshotted', 'purged', 'uploaded', 'upload_errors']);
  });
});
