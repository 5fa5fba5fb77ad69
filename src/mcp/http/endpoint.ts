/** One HTTP request from its first line to its answer: what is refused, in which order, and who serves the rest. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../log.js';
import type { Access } from './access.js';
import type { Admission } from './admission.js';
import type { LegacyEndpoint } from './legacy-endpoint.js';
import { isSubscription, type ModernEndpoint } from './modern-endpoint.js';
import { readJsonBody } from './read-body.js';
import { type Refusal, refuse, sendJson } from './refusal.js';

export interface EndpointParts {
  readonly access: Access;
  /** Calls in flight. */
  readonly calls: Admission;
  /** Streams and subscriptions, which may stay open for days. */
  readonly streams: Admission;
  readonly legacy: LegacyEndpoint;
  readonly modern: ModernEndpoint;
  readonly log: Logger;
}

type Headers = Readonly<Record<string, string>>;

export class Endpoint {
  /** From then on every request is told to come again. */
  stopping = false;

  constructor(private readonly parts: EndpointParts) {}

  /** Never rejects: what nobody expected is logged and answered with 500. */
  readonly handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await this.#route(request, response);
    } catch (error) {
      if (request.destroyed && !request.complete) return;
      this.parts.log.error('an HTTP request failed', { error });
      refuse(response, { status: 500, code: -32_603, message: 'Internal server error' });
    }
  };

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { access } = this.parts;
    const source = access.checkSource(request);
    if (source !== null) return refuse(response, source);
    const cors = access.corsHeaders(request);
    const path = (request.url ?? '').split('?')[0];
    if (path === '/healthz') return sendJson(response, 200, '{"ok":true}', cors);
    if (request.method === 'OPTIONS' && Object.keys(cors).length > 0) return void response.writeHead(204, cors).end();
    const refusal = this.#refusal(request, path);
    if (refusal !== null) return refuse(response, { ...refusal, headers: { ...refusal.headers, ...cors } });
    if (request.method === 'POST') await this.#post(request, response, cors);
    else if (request.method === 'GET') await this.#stream(request, response, cors);
    else await this.parts.legacy.end(request, response, cors);
  }

  #refusal(request: IncomingMessage, path: string | undefined): Refusal | null {
    const token = this.parts.access.checkToken(request);
    if (token !== null) return token;
    if (path !== '/mcp') return { status: 404, message: 'Not Found: MCP is served at /mcp' };
    if (!['POST', 'GET', 'DELETE'].includes(request.method ?? '')) {
      return { status: 405, message: 'Method Not Allowed', headers: { Allow: 'GET, POST, DELETE' } };
    }
    if (!this.stopping) return null;
    return { status: 503, message: 'The server is stopping', headers: { 'Retry-After': '2', Connection: 'close' } };
  }

  async #post(request: IncomingMessage, response: ServerResponse, headers: Headers): Promise<void> {
    const client = clientOf(request);
    const leave = this.parts.calls.enter(client);
    if (typeof leave !== 'function') return refuse(response, leave);
    try {
      const body = await readJsonBody(request);
      if ('refusal' in body) return refuse(response, body.refusal);
      if (isSubscription(body.value)) leave();
      await this.#answer(request, response, body.value, headers);
    } finally {
      leave();
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: unknown, headers: Headers): Promise<void> {
    const { legacy, modern } = this.parts;
    if (!modern.serves(request, body)) return legacy.post(request, response, body, headers);
    if (!isSubscription(body)) return modern.post(request, response, body, headers);
    const leave = this.parts.streams.enter(clientOf(request));
    if (typeof leave !== 'function') return refuse(response, leave);
    try {
      await modern.post(request, response, body, headers);
    } finally {
      leave();
    }
  }

  async #stream(request: IncomingMessage, response: ServerResponse, headers: Headers): Promise<void> {
    const leave = this.parts.streams.enter(clientOf(request));
    if (typeof leave !== 'function') return refuse(response, leave);
    response.once('close', leave);
    await this.parts.legacy.stream(request, response, headers);
  }
}

/** The token is one for all, so the address is what tells clients apart. */
function clientOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? 'unknown';
}
