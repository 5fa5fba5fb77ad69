/** Where snapshots are uploaded to, out of the MINI_APP_S3_ variables (storage.md §16, rulings §2 "S3"). */
import { isStoreError, StoreError } from '../../errors.js';
import { booleanSetting, type Env, textSetting } from '../../tables/settings.js';
import { bucketlessEndpoint, regionOf } from './s3-endpoint.js';

export interface S3Settings {
  /** A URL without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly prefix: string;
  /** The region that requests are signed for. */
  readonly region: string;
  /** Whether the bucket stands in the host name instead of the path. */
  readonly virtualHosted: boolean;
  /** Whether the upload carries an `x-amz-checksum-sha256` header. */
  readonly checksum: boolean;
}

const required = [
  'MINI_APP_S3_ENDPOINT',
  'MINI_APP_S3_BUCKET',
  'MINI_APP_S3_ACCESS_KEY_ID',
  'MINI_APP_S3_SECRET_ACCESS_KEY',
] as const;

/**
 * Values are trimmed; a blank one is missing.
 * @throws StoreError UPLOAD_NOT_CONFIGURED naming every missing variable, or the malformed one; never a value of a secret.
 */
export function readS3Settings(env: Env): S3Settings {
  const [endpoint, bucket, accessKeyId, secretAccessKey] = requiredValues(env);
  const virtualHosted = isVirtualHosted(env);
  const url = parseEndpoint(endpoint);
  const service = virtualHosted ? bucketlessEndpoint(url, bucket) : url;
  return {
    endpoint: service.href,
    bucket,
    accessKeyId,
    secretAccessKey,
    prefix: textSetting(env, 'MINI_APP_S3_PREFIX')?.trim() ?? 'mini-app-snapshots/',
    region: textSetting(env, 'MINI_APP_S3_REGION')?.trim() ?? regionOf(service) ?? 'us-east-1',
    virtualHosted,
    checksum: wantsChecksum(env),
  };
}

/** The key of a snapshot's file below the prefix. */
export function objectKey(prefix: string, fileName: string): string {
  const folder = prefix.replace(/\/+$/, '');
  return folder === '' ? fileName : `${folder}/${fileName}`;
}

function requiredValues(env: Env): [string, string, string, string] {
  const missing = required.filter((variable) => textSetting(env, variable) === null);
  if (missing.length > 0) throw notConfigured(`missing env: ${missing.join(', ')}`);
  const [endpoint, bucket, accessKeyId, secretAccessKey] = required;
  const value = (variable: string) => textSetting(env, variable)?.trim() ?? '';
  return [value(endpoint), value(bucket), value(accessKeyId), value(secretAccessKey)];
}

function parseEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw notConfigured('MINI_APP_S3_ENDPOINT must be an http or https URL without user and password');
  return url;
}

function isVirtualHosted(env: Env): boolean {
  try {
    return booleanSetting(env, 'MINI_APP_S3_VIRTUAL_HOSTED_STYLE', false);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    throw notConfigured('MINI_APP_S3_VIRTUAL_HOSTED_STYLE must be true, 1, false or 0');
  }
}

function wantsChecksum(env: Env): boolean {
  const text = textSetting(env, 'MINI_APP_S3_CHECKSUM')?.trim().toLowerCase() ?? 'none';
  if (text !== 'none' && text !== 'sha256') throw notConfigured('MINI_APP_S3_CHECKSUM must be none or sha256');
  return text === 'sha256';
}

/** UPLOAD_NOT_CONFIGURED: `upload not configured: <detail>`. */
export function notConfigured(detail: string, options: { hint?: string; cause?: unknown } = {}): StoreError {
  return new StoreError('UPLOAD_NOT_CONFIGURED', { detail }, options);
}
