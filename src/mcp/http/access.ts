/** Who may speak to the server: host, origin and token, checked in this order before a byte of the body is read. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refusal.js';

export interface AccessOptions {
  /** Whether the server listens on a loopback address; then other hosts are names rebound to it. */
  readonly loopback: boolean;
  readonly token: string | null;
  /** Further host names, without a port. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Further origins, such as `https://app.example`. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

export class Access {
  readonly #hosts: ReadonlySet<string> | null;
  readonly #origins: ReadonlySet<string>;
  readonly #digest: Buffer | null;

  constructor(private readonly options: AccessOptions) {
    const extra = (options.allowedHosts ?? []).map((host) => host.toLowerCase());
    this.#hosts = options.loopback || extra.length > 0 ? new Set([...loopbackNames, ...extra]) : null;
    this.#origins = new Set((options.allowedOrigins ?? []).map((origin) => originOf(origin) ?? origin));
    this.#digest = options.token === null ? null : digestOf(options.token);
  }

  /** Host, then origin: what a page in a browser cannot choose freely. */
  checkSource(request: IncomingMessage): Refusal | null {
    return this.#checkHost(request) ?? this.#checkOrigin(request);
  }

  checkToken(request: IncomingMessage): Refusal | null {
    if (this.#digest === null) return null;
    const sent = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    // Digests have one length, so that the comparison tells nothing of the token's.
    if (sent !== undefined && timingSafeEqual(digestOf(sent), this.#digest)) return null;
    const problem = sent === undefined ? '' : ', error="invalid_token"';
    return {
      status: 401,
      message: 'missing or invalid bearer token',
      headers: { 'WWW-Authenticate': `Bearer realm="mini-app-mcp"${problem}` },
    };
  }

  /** The headers that let a page of an allowed origin read the answer; none for anybody else. */
  corsHeaders(request: IncomingMessage): Record<string, string> {
    const origin = originOf(request.headers.origin ?? '');
    if (origin === null || !this.#origins.has(origin)) return {};
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
      'Access-Control-Allow-Headers':
        request.headers['access-control-request-headers'] ?? 'Authorization, Content-Type, Mcp-Session-Id',
      'Access-Control-Expose-Headers': 'Mcp-Session-Id, WWW-Authenticate',
      Vary: 'Origin',
    };
  }

  #checkHost(request: IncomingMessage): Refusal | null {
    const sent = request.rawHeaders.filter((_, index) => index % 2 === 0).filter((name) => /^host$/i.test(name)).length;
    const name = hostName(request.headers.host ?? '');
    if (sent !== 1 || name === null)
      return { status: 400, message: 'Bad Request: Host header is missing or malformed' };
    if (this.#hosts === null || this.#hosts.has(name)) return null;
    return { status: 403, message: 'Forbidden: Host header is not allowed' };
  }

  #checkOrigin(request: IncomingMessage): Refusal | null {
    const header = request.headers.origin;
    if (header === undefined) return null;
    const origin = originOf(header);
    if (origin !== null && (this.#origins.has(origin) || this.#isLocalPage(origin))) return null;
    return { status: 403, message: 'Forbidden: Origin header is not allowed' };
  }

  /** A page that this machine serves may ask a server that only this machine reaches. */
  #isLocalPage(origin: string): boolean {
    return this.options.loopback && loopbackNames.includes(new URL(origin).hostname);
  }
}

/** The host in lower case without its port; null when it is no host. */
function hostName(header: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(header);
  return match?.[1]?.toLowerCase() ?? null;
}

/** The origin as browsers write it; null when the text is none, as `null` is. */
function originOf(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  return new URL(text).origin;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
