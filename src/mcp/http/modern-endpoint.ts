/** The 2026 era over HTTP: every request stands alone; a subscription is a request whose answer is a stream. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  createMcpHandler,
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

  /** Whether a POST is of this era, or claims to be and must be told why it is not. */
  serves({ headers }: IncomingMessage, body: unknown): boolean {
    const sent = (key: string, name: string) => (headers[name] === undefined ? {} : { [key]: String(headers[name]) });
    const classified = classifyInboundRequest({
      httpMethod: 'POST',
      body,
      ...sent('protocolVersionHeader', 'mcp-protocol-version'),
      ...sent('mcpMethodHeader', 'mcp-method'),
      ...sent('mcpNameHeader', 'mcp-name'),
    });
    return classified.kind !== 'legacy';
  }

  /** Answers a POST. Resolves when the answer is out. */
  async post(request: IncomingMessage, response: ServerResponse, body: unknown, headers: Headers): Promise<void> {
    const webRequest = toWebRequest(request, abandoned(response));
    const answer = await this.#handler.fetch(webRequest, { parsedBody: body });
    const message = this.#last.get(webRequest);
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

/** A request as the protocol library wants it. Its body is parsed already and goes beside it. */
function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) headers.append(name, item);
  }
  return new Request('http://localhost/mcp', { method: request.method ?? 'GET', headers, signal });
}

/** Aborted when the client leaves before its answer, which cancels the call. */
function abandoned(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
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
