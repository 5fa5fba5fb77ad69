/** Why an upload failed, in few words: a code and a status, never a key, a signature or an address. */

export interface UploadFailure {
  /** For people, such as `NoSuchBucket (HTTP 404)`. */
  readonly reason: string;
  /** Whether the same request may succeed in a moment. */
  readonly retryable: boolean;
}

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the server refused the connection',
  ECONNRESET: 'the server closed the connection',
  EPIPE: 'the server closed the connection',
  ENOTFOUND: 'the host name of the endpoint is unknown',
  EAI_AGAIN: 'the host name of the endpoint cannot be looked up now',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ETIMEDOUT: 'the server did not answer in time',
};

/** Looks at what the S3 client, the network or the file system threw. */
export function uploadFailure(error: unknown): UploadFailure {
  const status = statusOf(error);
  // Without a body of XML the client calls every answer 'Unknown'.
  if (status !== null) return { reason: `${nameOf(error)} (HTTP ${status})`, retryable: isPassing(status) };
  if (isTimeout(error)) return { reason: 'the server did not answer in time', retryable: true };
  const code = textOf(error, 'code');
  const network = networkReasons[code];
  if (network !== undefined) return { reason: network, retryable: code !== 'ENOTFOUND' };
  const known = /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : nameOf(error);
  return { reason: known, retryable: false };
}

function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function isTimeout(error: unknown): boolean {
  return /^(TimeoutError|AbortError|RequestTimeout)$/.test(textOf(error, 'name'));
}

function statusOf(error: unknown): number | null {
  const metadata = memberOf(error, '$metadata');
  const status = memberOf(metadata, 'httpStatusCode');
  return typeof status === 'number' ? status : null;
}

function nameOf(error: unknown): string {
  const name = textOf(error, 'name');
  return /^[A-Za-z][A-Za-z0-9_]{1,60}$/.test(name) ? name : 'the upload failed';
}

function textOf(value: unknown, key: string): string {
  const found = memberOf(value, key);
  return typeof found === 'string' ? found : '';
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
