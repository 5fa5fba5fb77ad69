/** The 2026 era over HTTP: every request stands alone; a subscription is a request whose answer is a stream. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCMessage,
  type McpHttpHandler,
  type Server,
} from '@modelcontextprotocol/server';
import { encodeJson } from '../../schema/json.js';
import type { Logger } from '../log.js';
import { onOutgoing } from '../outgoing.js';
import { sendJson } from './refusal.js';

type Headers = Readonly<Record<string, string>>;

export interface ModernOptions {
  createServer(): Server;
  readonly log: Logger;
}

/** A request as the protocol library wants it. Its body is parsed already and goes beside it. */
export function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) headers.append(name, item);
  }
  return new Request('http://localhost/mcp', { method: request.method ?? 'GET', headers, signal });
}

export class ModernEndpoint {
  readonly #handler: McpHttpHandler;
  /** The last message of an exchange as the server gave it, because the library's own encoding loses digits. */
  readonly #last = new WeakMap<Request, JSONRPCMessage>();

  constructor(options: ModernOptions) {
    this.#handler = createMcpHandler(
      ({ requestInfo }) => {
        const server = options.createServer();
        if (requestInfo !== undefined) onOutgoing(server, (message) => this.#remember(requestInfo, message));
        return server;
      },
      { legacy: 'reject', onerror: (error) => options.log.debug('protocol error', { error }) },
    );
  }

  /** Tells the subscribers. */
  get notify() {
    return this.#handler.notify;
  }

  async serves(request: Request, body: unknown): Promise<boolean> {
    return !(await isLegacyRequest(request, body));
  }

  /** Answers a POST. Resolves when the answer is out. */
  async post(request: Request, response: ServerResponse, body: unknown, headers: Headers): Promise<void> {
    const answer = await this.#handler.fetch(request, { parsedBody: body });
    const message = this.#last.get(request);
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    if (isJson && message !== undefined) sendJson(response, answer.status, encodeJson(message), headers);
    else await copy(answer, response, headers);
  }

  /** Ends subscriptions with their last message, and cuts off what is in flight. */
  async close(): Promise<void> {
    await this.#handler.close();
  }

  #remember(request: Request, message: JSONRPCMessage): JSONRPCMessage {
    this.#last.set(request, message);
    return message;
  }
}

/** Whether a body opens a subscription, which stays open. */
export function isSubscription(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';
}

async function copy(answer: Response, response: ServerResponse, headers: Headers): Promise<void> {
  if (response.headersSent || response.destroyed) return;
  // 499 is how the library names a client that has left.
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...headers });
  if (answer.body !== null) {
    for await (const chunk of answer.body) if (!(await written(response, chunk))) break;
  }
  response.end();
}

/** Waits for a slow reader. False when it has left. */
async function written(response: ServerResponse, chunk: Uint8Array): Promise<boolean> {
  if (response.destroyed) return false;
  if (!response.write(chunk)) {
    await new Promise<void>((resolve) => {
      response.once('drain', resolve);
      response.once('close', resolve);
    });
  }
  return !response.destroyed;
}
