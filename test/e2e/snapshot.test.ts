/** Snapshots end to end: a big table to real S3 servers, the script for cron over HTTP, and the automatic trigger. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Services } from '../../src/mcp/contract.js';
import { serveMcpOverHttp } from '../../src/mcp/http/serve-http.js';
import { createLogger } from '../../src/mcp/log.js';
import { PluginHost } from '../../src/mcp/plugins/plugin-host.js';
import { ResourceFeature } from '../../src/mcp/resources/resource-feature.js';
import { offerCoreTools } from '../../src/mcp/tools/index.js';
import { storeKey } from '../../src/mcp/tools/store-key.js';
import { snapshotTables } from '../../src/ops/snapshot-tables.js';
import {
  ceph,
  objectBytes,
  objectSize,
  type S3Make,
  type S3Server,
  startS3Server,
  swift,
} from '../helpers/s3-server.js';
import { fill, rowsIn, type SnapshotStore, snapshotStore, storeIn } from '../helpers/snapshot-store.js';
import { tempDir } from '../helpers/temp-dir.js';

const script = fileURLToPath(new URL('../../contrib/backup/mini-app-backup.sh', import.meta.url));
const away = {
  MINI_APP_S3_ENDPOINT: 'http://s3.invalid',
  MINI_APP_S3_BUCKET: 'b',
  MINI_APP_S3_ACCESS_KEY_ID: 'k',
  MINI_APP_S3_SECRET_ACCESS_KEY: 's',
};

describe.each([
  ['Ceph', ceph],
  ['Swift', swift],
] satisfies [string, S3Make][])('snapshots to %s', (name, make) => {
  describe.skipIf(make.missing !== null)(make.missing ?? name, () => {
    let server: S3Server;
    beforeAll(async () => {
      server = await startS3Server(make);
    });
    afterAll(() => server?.stop());

    test('every table, one of them with 50 MB, and the copies are the same there', async () => {
      const store = snapshotStore(server.environment);
      await fill(store, 'beta', 52, 1_000_000);
      const result = await snapshotTables(store, { upload: true, scope: 'user' });
      if (!('snapshotted' in result)) throw new Error('not a result of a real run');
      expect(result.upload_errors).toEqual([]);
      const { snapshotted, uploaded = [] } = result;
      expect(uploaded.map(({ table }) => table)).toEqual(['alpha', 'beta']);
      for (const [index, { key, bytes }] of uploaded.entries()) {
        const path = snapshotted[index]?.snapshot_path ?? '';
        expect(key).toBe(`mini-app-snapshots/${basename(path)}`);
        expect(bytes).toBe(await objectSize(server, key));
      }
      const [, big] = uploaded;
      expect(big?.bytes).toBeGreaterThan(50_000_000);
      const path = snapshotted[1]?.snapshot_path ?? '';
      expect((await objectBytes(server, big?.key ?? '')).equals(readFileSync(path))).toBe(true);
      expect(rowsIn(path)).toEqual({ rows: 52, check: 'ok' });
    });

    test('by the script for cron', async () => {
      const url = await serve(snapshotStore(server.environment), 'a token');
      const { code, stdout, stderr } = await backup(['--table', 'alpha'], url, 'a token');
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ uploaded: [{ table: 'alpha' }], upload_errors: [] });
    });
  });
});

describe('the script for cron', () => {
  test('shows what it would do', async () => {
    const url = await serve(snapshotStore(away));
    const { code, stdout } = await backup(['--dry-run', '--scope', 'project'], url);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { dry_run: true, affects: { target_tables: ['gamma'] } }]);
  });

  test('ends with 3 when an upload failed, and the snapshot stands', async () => {
    const store = snapshotStore(away);
    const { code, stdout, stderr } = await backup(['--table', 'alpha'], await serve(store));
    expect(code).toBe(3);
    expect(stderr).toMatch(/^mini-app-backup: uploads failed: alpha: upload failed: the host name/);
    expect(JSON.parse(stdout)).toMatchObject({ snapshotted: [{ table: 'alpha' }], uploaded: [] });
    expect(readdirSync(join(store.user, '_snapshots'))).toHaveLength(1);
  });

  test('ends with 2 when the server refuses', async () => {
    const unconfigured = await backup([], await serve(snapshotStore()));
    expect(unconfigured).toMatchObject({ code: 2, stdout: '' });
    expect(unconfigured.stderr).toContain('UPLOAD_NOT_CONFIGURED');
    expect(await backup(['--table', 'no"body'], await serve(snapshotStore(away)))).toMatchObject({ code: 2 });
  });

  test('ends with 1 for bad arguments, a wrong token, and nobody there', async () => {
    const url = await serve(snapshotStore(away), 'right');
    expect(await backup([], url, 'wrong')).toMatchObject({ code: 1, stdout: '' });
    expect(await backup(['--scope', 'all'], url, 'right')).toMatchObject({ code: 1 });
    expect(await backup(['--table'], url, 'right')).toMatchObject({ code: 1 });
    expect(await backup(['--what'], url, 'right')).toMatchObject({ code: 1 });
    expect(await backup([], 'http://127.0.0.1:9/mcp')).toMatchObject({ code: 1 });
  });
});

describe('the automatic trigger', () => {
  test('takes a snapshot after so many events, keeps as many as it may, and counts on after a restart', async () => {
    const directory = tempDir();
    const environment = {
      MINI_APP_USER_DIR: join(directory, 'user'),
      MINI_APP_PROJECT_DIR: '',
      MINI_APP_SNAPSHOT_EVERY: '5',
      MINI_APP_SNAPSHOT_RETENTION: '2',
    };
    mkdirSync(join(directory, 'user', 'notes'), { recursive: true });
    writeFileSync(
      join(directory, 'user', 'notes', 'schema.yaml'),
      'table: notes\nfields:\n  - { name: text, type: string }\n',
    );
    const folder = join(directory, 'user', '_snapshots');
    const taken = () => (existsSync(folder) ? readdirSync(folder).filter((name) => /^notes\.\d+\.db$/.test(name)) : []);

    const first = storeIn(directory, environment);
    await fill(first, 'notes', 4);
    await delay(300);
    expect(taken()).toEqual([]);
    await fill(first, 'notes', 1);
    await until(() => taken().length === 1);
    expect(rowsIn(join(folder, taken()[0] ?? '')).check).toBe('ok');
    await fill(first, 'notes', 2);
    await first.registry.close();

    const second = storeIn(directory, environment);
    await fill(second, 'notes', 3);
    await until(() => taken().length === 2);
    const before = taken();
    await fill(second, 'notes', 5);
    await until(() => taken().join() !== before.join());
    expect(taken()).toHaveLength(2);
    expect(rowsIn(join(folder, taken().sort().at(-1) ?? '')).rows).toBeGreaterThanOrEqual(14);
  });
});

async function serve(store: SnapshotStore, token: string | null = null): Promise<string> {
  const catalogue = new Catalogue(new Services().provide(storeKey, store), createLogger({ write: () => undefined }));
  await offerCoreTools(new PluginHost(catalogue));
  const running = await serveMcpOverHttp({
    catalogue,
    instructions: 'Test.',
    bind: { host: '127.0.0.1', port: 0 },
    token,
    resources: new ResourceFeature({ registry: store.registry, catalogue }),
  });
  onTestFinished(() => running.stop('test'));
  return `http://127.0.0.1:${running.address.port}/mcp`;
}

function backup(args: string[], url: string, token = ''): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { ...process.env, MINI_APP_URL: url, MINI_APP_HTTP_TOKEN: token };
  return new Promise((resolve) => {
    execFile(script, args, { env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 20) {
    if (waited > 10_000) throw new Error('it did not happen within 10 s');
    await delay(20);
  }
}
