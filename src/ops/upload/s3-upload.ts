/** Uploads to anything that speaks S3: one PutObject per file, streamed from it (rulings §2 "S3"). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { StoreError } from '../../errors.js';
import { notConfigured, type S3Settings } from './s3-settings.js';
import { type UploadFailure, uploadFailure } from './upload-failure.js';

/** Milliseconds, except `attempts`. */
export interface UploadPatience {
  readonly attempts: number;
  /** Before the second attempt; doubles from there on. */
  readonly backOff: number;
  readonly connect: number;
  /** The longest silence on a connection. */
  readonly idle: number;
  /** The longest attempt: this and `perMegabyte` for each. */
  readonly attempt: number;
  readonly perMegabyte: number;
}

export const defaultPatience: UploadPatience = {
  attempts: 4,
  backOff: 250,
  connect: 5_000,
  idle: 60_000,
  attempt: 120_000,
  perMegabyte: 10_000,
};

export interface Uploader {
  /** Uploads a file and answers with its size in bytes. @throws StoreError UPLOAD_FAILED after the last attempt. */
  put(path: string, key: string, signal?: AbortSignal): Promise<number>;
  close(): void;
}

type Package = Pick<typeof import('@aws-sdk/client-s3'), 'S3Client' | 'PutObjectCommand'>;

interface Connection {
  readonly client: S3Client;
  readonly s3: Package;
  readonly settings: S3Settings;
  readonly patience: UploadPatience;
}

/** A file and the hash that the request is signed with. */
interface Content {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: Buffer;
}

/**
 * Loads the optional package and opens no connection yet.
 * @throws StoreError UPLOAD_NOT_CONFIGURED when the package is not installed.
 */
export async function openUploader(
  settings: S3Settings,
  patience: UploadPatience = defaultPatience,
  load: () => Promise<Package> = () => import('@aws-sdk/client-s3'),
): Promise<Uploader> {
  const s3 = await loadPackage(load);
  const connection = { client: newClient(s3, settings, patience), s3, settings, patience };
  return {
    put: (path, key, signal) => putPatiently(connection, path, key, signal),
    close: () => connection.client.destroy(),
  };
}

async function loadPackage(load: () => Promise<Package>): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    throw notConfigured('s3-upload needs the optional package @aws-sdk/client-s3, which is not installed', {
      hint: 'Install @aws-sdk/client-s3 beside mini-app-mcp, or call without upload.',
      cause,
    });
  }
}

/** Everything is said here, so that no AWS_ variable and no profile of the user's changes where data goes. */
function newClient({ S3Client }: Package, settings: S3Settings, patience: UploadPatience): S3Client {
  return new S3Client({
    endpoint: settings.endpoint,
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    forcePathStyle: !settings.virtualHosted,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    defaultsMode: 'standard',
    // The client does not repeat a streamed request; that is done here, from the file.
    maxAttempts: 1,
    retryMode: 'standard',
    logger: silent,
    requestHandler: { connectionTimeout: patience.connect, socketTimeout: patience.idle },
  });
}

/** What matters is in the answer; the client's own remarks would go to the console. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

async function putPatiently(connection: Connection, path: string, key: string, signal?: AbortSignal): Promise<number> {
  const { attempts, backOff } = connection.patience;
  for (let attempt = 1; ; attempt++) {
    const failure = await tryPut(connection, path, key, signal);
    if (typeof failure === 'number') return failure;
    if (!failure.retryable || attempt >= attempts || signal?.aborted === true) throw failed(failure, attempt);
    await delay(backOff * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined);
  }
}

function failed({ reason, cause }: UploadFailure & { cause: unknown }, attempts: number): StoreError {
  const detail = attempts === 1 ? reason : `${reason}, ${attempts} attempts`;
  return new StoreError('UPLOAD_FAILED', { detail }, { cause });
}

async function tryPut(
  connection: Connection,
  path: string,
  key: string,
  signal?: AbortSignal,
): Promise<number | (UploadFailure & { cause: unknown })> {
  try {
    const content = await readContent(path);
    await putOnce(connection, content, key, signal);
    return content.bytes;
  } catch (cause) {
    return { ...uploadFailure(cause), cause };
  }
}

/** Hashed beforehand: the server then refuses what was damaged on the way, without any checksum header. */
async function readContent(path: string): Promise<Content> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return { path, bytes: (await stat(path)).size, sha256: hash.digest() };
}

async function putOnce(connection: Connection, content: Content, key: string, signal?: AbortSignal): Promise<void> {
  const { client, s3, settings, patience } = connection;
  // Whatever reading fails with reaches the request; a stream that is given up must not end the process.
  const body = createReadStream(content.path).on('error', () => undefined);
  const command = new s3.PutObjectCommand({
    Bucket: settings.bucket,
    Key: key,
    Body: body,
    ContentLength: content.bytes,
    ...(settings.checksum ? { ChecksumSHA256: content.sha256.toString('base64') } : {}),
  });
  signWith(command, content.sha256);
  const limit = AbortSignal.timeout(patience.attempt + Math.ceil(content.bytes / 1_048_576) * patience.perMegabyte);
  try {
    await client.send(command, { abortSignal: signal === undefined ? limit : AbortSignal.any([limit, signal]) });
  } finally {
    body.destroy();
  }
}

/** A stream would be signed as UNSIGNED-PAYLOAD, which not every server takes over plain http. */
function signWith(command: InstanceType<Package['PutObjectCommand']>, sha256: Buffer): void {
  command.middlewareStack.add(
    (next) => (args) => {
      const request = args.request;
      if (typeof request === 'object' && request !== null && 'headers' in request) {
        Object.assign(request.headers ?? {}, { 'x-amz-content-sha256': sha256.toString('hex') });
      }
      return next(args);
    },
    { step: 'build', name: 'payloadHash' },
  );
}
