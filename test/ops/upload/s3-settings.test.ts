import { expect, test } from 'vitest';
import { isStoreError } from '../../../src/errors.js';
import { bucketlessEndpoint, regionOf } from '../../../src/ops/upload/s3-endpoint.js';
import { objectKey, readS3Settings } from '../../../src/ops/upload/s3-settings.js';
import { openUploader } from '../../../src/ops/upload/s3-upload.js';

const complete = {
  MINI_APP_S3_ENDPOINT: ' https://s3.us-east-005.backblazeb2.com ',
  MINI_APP_S3_BUCKET: 'backups',
  MINI_APP_S3_ACCESS_KEY_ID: 'key',
  MINI_APP_S3_SECRET_ACCESS_KEY: 'very secret',
};

test('the defaults', () => {
  expect(readS3Settings(complete)).toEqual({
    endpoint: 'https://s3.us-east-005.backblazeb2.com/',
    bucket: 'backups',
    accessKeyId: 'key',
    secretAccessKey: 'very secret',
    prefix: 'mini-app-snapshots/',
    region: 'us-east-005',
    virtualHosted: false,
    checksum: false,
  });
});

test('what is set wins, also over the region of the endpoint', () => {
  const settings = readS3Settings({
    ...complete,
    MINI_APP_S3_PREFIX: ' snaps ',
    MINI_APP_S3_REGION: 'eu-1',
    MINI_APP_S3_VIRTUAL_HOSTED_STYLE: 'TRUE',
    MINI_APP_S3_CHECKSUM: 'SHA256',
  });
  expect(settings).toMatchObject({ prefix: 'snaps', region: 'eu-1', virtualHosted: true, checksum: true });
});

test('every missing variable is named, blank ones too', () => {
  const { MINI_APP_S3_BUCKET: _, ...rest } = complete;
  const env = { ...rest, MINI_APP_S3_ENDPOINT: ' ', MINI_APP_S3_SECRET_ACCESS_KEY: '' };
  expect(refusal(env)).toBe('missing env: MINI_APP_S3_ENDPOINT, MINI_APP_S3_BUCKET, MINI_APP_S3_SECRET_ACCESS_KEY');
});

test.each([
  ['MINI_APP_S3_VIRTUAL_HOSTED_STYLE', 'yes'],
  ['MINI_APP_S3_CHECKSUM', 'md5'],
  ['MINI_APP_S3_ENDPOINT', 'localhost:9000'],
  ['MINI_APP_S3_ENDPOINT', 'https://key:secret@host'],
])('a malformed %s is named', (variable, value) => {
  const detail = refusal({ ...complete, [variable]: value });
  expect(detail).toContain(variable);
  expect(detail).not.toContain('secret');
});

test.each([
  ['https://s3.us-east-005.backblazeb2.com', 'us-east-005'],
  ['https://s3.us-west-2.amazonaws.com/path', 'us-west-2'],
  ['https://s3.dualstack.us-west-2.amazonaws.com', 'us-west-2'],
  ['https://s3.amazonaws.com', null],
  ['https://s3.dualstack.amazonaws.com', null],
  ['http://localhost:9000', null],
  ['https://account.r2.cloudflarestorage.com', null],
])('the region of %s is %s', (endpoint, region) => {
  expect(regionOf(new URL(endpoint))).toBe(region);
});

test('a bucket in front of a virtual-hosted endpoint is not doubled', () => {
  const url = bucketlessEndpoint(new URL('https://backups.s3.eu-1.example.com/x'), 'Backups');
  expect(url.href).toBe('https://s3.eu-1.example.com/x');
  expect(bucketlessEndpoint(url, 'backups').href).toBe(url.href);
});

test.each([
  ['snaps/', 'snaps/t.1.db'],
  ['snaps', 'snaps/t.1.db'],
  ['a/b//', 'a/b/t.1.db'],
  ['', 't.1.db'],
])('the prefix %j gives the key %s', (prefix, key) => {
  expect(objectKey(prefix, 't.1.db')).toBe(key);
});

test('without the optional package nothing is configured', async () => {
  const name = '@aws-sdk/client-of-nobody';
  const opening = openUploader(readS3Settings(complete), undefined, () => import(/* @vite-ignore */ name));
  await expect(opening).rejects.toMatchObject({
    code: 'UPLOAD_NOT_CONFIGURED',
    message: expect.stringContaining('s3-upload'),
  });
});

function refusal(env: Record<string, string>): string {
  try {
    readS3Settings(env);
    return 'accepted';
  } catch (error) {
    expect(error).toMatchObject({ code: 'UPLOAD_NOT_CONFIGURED' });
    return isStoreError(error) ? error.message.replace('upload not configured: ', '') : 'another error';
  }
}
