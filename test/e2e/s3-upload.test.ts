/** Uploads against a real S3 server, and against what can stand between. */
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readS3Settings } from '../../src/ops/upload/s3-settings.js';
import { defaultPatience, openUploader, type UploadPatience } from '../../src/ops/upload/s3-upload.js';
import type { Env } from '../../src/tables/settings.js';
import {
  ceph,
  objectBytes,
  resolveLocalNames,
  type S3Server,
  startProxy,
  startS3Server,
} from '../helpers/s3-server.js';
import { tempDir } from '../helpers/temp-dir.js';

const quick: UploadPatience = { ...defaultPatience, attempts: 2, backOff: 20, idle: 300, connect: 300 };

describe.skipIf(ceph.missing !== null)(`uploads ${ceph.missing ?? 'to Ceph'}`, () => {
  let server: S3Server;
  beforeAll(async () => {
    resolveLocalNames();
    server = await startS3Server(ceph);
  });
  afterAll(() => server?.stop());

  async function upload(endpoint: string, env: Env, size: number, patience = defaultPatience) {
    const content = randomBytes(size);
    const path = join(tempDir(), 'file.db');
    writeFileSync(path, content);
    const key = `t/${createHash('sha256').update(content).digest('hex').slice(0, 8)} ü+%.db`;
    const settings = readS3Settings({ ...server.environment, MINI_APP_S3_ENDPOINT: endpoint, ...env });
    const uploader = await openUploader(settings, patience);
    onTestFinished(() => uploader.close());
    const answer = await uploader.put(path, key).catch((error: unknown) => error);
    const stored = typeof answer === 'number' ? await objectBytes(server, key) : null;
    if (stored !== null) expect(stored.equals(content)).toBe(true);
    return answer;
  }

  test.each([
    ['path style', {}],
    ['with a checksum', { MINI_APP_S3_CHECKSUM: 'sha256' }],
    ['of nothing', {}, 0],
  ])('%s', async (_name, env: Env, size = 300_000) => {
    expect(await upload(server.endpoint, env, size)).toBe(size);
  });

  test('virtual-hosted, with the bucket in the host name', async () => {
    const proxy = await proxied(() => 0);
    const env = { MINI_APP_S3_VIRTUAL_HOSTED_STYLE: 'true' };
    expect(await upload(`http://s3.localhost:${proxy.port}`, env, 70_000)).toBe(70_000);
    expect(proxy.heads[0]).toContain(`host: snapshots.s3.localhost:${proxy.port}`);
    expect(proxy.heads[0]).toMatch(/^PUT \/t\//);
  });

  test('one request, signed with the hash of the file, and a checksum header only when asked', async () => {
    const proxy = await proxied(() => 0);
    await upload(`http://127.0.0.1:${proxy.port}`, {}, 10_000);
    await upload(`http://127.0.0.1:${proxy.port}`, { MINI_APP_S3_CHECKSUM: 'sha256' }, 10_000);
    expect(proxy.heads).toHaveLength(2);
    const [plain, checked] = proxy.heads.map((head) => head.toLowerCase());
    expect(plain).toMatch(/x-amz-content-sha256: [0-9a-f]{64}\r/);
    expect(plain).toContain('content-length: 10000');
    expect(plain).not.toMatch(/checksum|transfer-encoding|trailer/);
    expect(checked).toMatch(/x-amz-checksum-sha256: [a-z0-9+/]{43}=\r/);
  });

  test('a wrong secret and an unknown key, without saying either', async () => {
    const wrong = await upload(server.endpoint, { MINI_APP_S3_SECRET_ACCESS_KEY: 'wrong-secret' }, 1_000);
    expect(message(wrong)).toBe('upload failed: SignatureDoesNotMatch (HTTP 403)');
    const unknown = await upload(server.endpoint, { MINI_APP_S3_ACCESS_KEY_ID: 'NOBODY' }, 1_000);
    expect(message(unknown)).toBe('upload failed: InvalidAccessKeyId (HTTP 403)');
  });

  test('a missing bucket', async () => {
    const answer = await upload(server.endpoint, { MINI_APP_S3_BUCKET: 'not-there' }, 1_000);
    expect(message(answer)).toBe('upload failed: NoSuchBucket (HTTP 404)');
  });

  test('a server that is away', async () => {
    const proxy = await startProxy(server.port, () => 0);
    proxy.close();
    const answer = await upload(`http://127.0.0.1:${proxy.port}`, {}, 1_000, quick);
    expect(message(answer)).toBe('upload failed: the server refused the connection, 2 attempts');
  });

  test('a host name that nobody knows', async () => {
    const answer = await upload('http://s3.invalid', {}, 1_000, quick);
    expect(message(answer)).toMatch(/^upload failed: the host name of the endpoint/);
  });

  test('a server that accepts and never answers', async () => {
    const proxy = await proxied(() => 'hold');
    const started = performance.now();
    const answer = await upload(`http://127.0.0.1:${proxy.port}`, {}, 1_000, quick);
    expect(message(answer)).toBe('upload failed: the server did not answer in time, 2 attempts');
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(proxy.connections()).toBe(2);
  });

  test('a server that closes the first connection gets the whole file by the second', async () => {
    const proxy = await proxied((connection) => (connection === 1 ? 'close' : 0));
    expect(await upload(`http://127.0.0.1:${proxy.port}`, {}, 500_000, quick)).toBe(500_000);
  });

  test('a slow server is waited for while it takes data', { retry: 3 }, async () => {
    const proxy = await proxied(() => 20);
    const patience = { ...quick, attempts: 1, idle: 1_500 };
    expect(await upload(`http://127.0.0.1:${proxy.port}`, {}, 6_000_000, patience)).toBe(6_000_000);
  });

  test('an attempt has an end, however busy the line', async () => {
    const proxy = await proxied(() => 100);
    const short = { ...quick, attempts: 1, attempt: 500, perMegabyte: 0 };
    const answer = await upload(`http://127.0.0.1:${proxy.port}`, {}, 5_000_000, short);
    expect(message(answer)).toBe('upload failed: the server did not answer in time');
  });

  async function proxied(pass: Parameters<typeof startProxy>[1]) {
    const proxy = await startProxy(server.port, pass);
    onTestFinished(() => proxy.close());
    return proxy;
  }
});

function message(error: unknown): string {
  expect(error).toMatchObject({ code: 'UPLOAD_FAILED' });
  return error instanceof Error ? error.message : '';
}
