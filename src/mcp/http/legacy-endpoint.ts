/** The 2025 era over HTTP: POST for requests, GET for a stream of notifications, DELETE to end the session. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { Exchange } from './exchange.js';
import { type Refusal, refuse } from './refusal.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';
import { SseStream } from './sse-stream.js';

type Headers = Readonly<Record<string, string>>;

const maxBatch = 100;
const gone: Refusal = { status: 404, code: -32_001, message: 'Session not found' };
const sessionRequired: Refusal = { status: 400, message: 'Bad Request: Mcp-Session-Id header is required' };

export class LegacyEndpoint {
  constructor(private readonly sessions: Sessions) {}

  /** Answers a POST. Resolves when its work is done. */
  async post(request: IncomingMessage, response: ServerResponse, body: unknown, headers: Headers): Promise<void> {
    const accepted = acceptedTypes(request);
    if (!accepted.acceptsJson && !accepted.acceptsStream) {
      refuse(response, { status: 406, message: 'Not Acceptable: accept application/json and text/event-stream' });
      return;
    }
    const messages = parseMessages(body);
    if ('status' in messages) return refuse(response, messages);
    const session = this.#sessionFor(request, messages);
    if ('status' in session) return refuse(response, session);
    try {
      await session.ready;
      await exchange(session, messages, { response, ...accepted, headers: this.#withId(session, headers) }, body);
    } finally {
      if (!this.#isKept(session)) await session.close();
    }
  }

  /** Opens a stream for what the server says unasked. */
  async stream(request: IncomingMessage, response: ServerResponse, headers: Headers): Promise<void> {
    if (!acceptedTypes(request).acceptsStream) {
      return refuse(response, { status: 406, message: 'Not Acceptable: accept text/event-stream' });
    }
    const session = this.#existing(request);
    if ('status' in session) return refuse(response, session);
    await session.ready;
    if (!response.destroyed) openStream(session, response, this.#withId(session, headers));
  }

  async end(request: IncomingMessage, response: ServerResponse, headers: Headers): Promise<void> {
    const id = sessionIdOf(request);
    if (id === undefined) return refuse(response, sessionRequired);
    if (await this.sessions.end(id)) response.writeHead(200, headers).end();
    else refuse(response, gone);
  }

  #sessionFor(request: IncomingMessage, messages: readonly JSONRPCMessage[]): Session | Refusal {
    const initialize = messages.filter(isJSONRPCRequest).find((message) => message.method === 'initialize');
    if (initialize !== undefined) {
      if (messages.length === 1) return this.sessions.open(initialize.params);
      return { status: 400, code: -32_600, message: 'Invalid Request: initialize must stand alone' };
    }
    return sessionIdOf(request) === undefined
      ? (unsupportedVersion(request) ?? this.sessions.transient())
      : this.#existing(request);
  }

  #existing(request: IncomingMessage): Session | Refusal {
    const id = sessionIdOf(request);
    if (id === undefined) return sessionRequired;
    return unsupportedVersion(request) ?? this.sessions.resolve(id) ?? gone;
  }

  #isKept(session: Session): boolean {
    return this.sessions.has(session);
  }

  #withId(session: Session, headers: Headers): Headers {
    return this.#isKept(session) ? { ...headers, 'Mcp-Session-Id': session.id } : headers;
  }
}

type Parts = Omit<ConstructorParameters<typeof Exchange>[0], 'ids' | 'isBatch'>;

async function exchange(session: Session, messages: readonly JSONRPCMessage[], parts: Parts, body: unknown) {
  const ids = messages.filter(isJSONRPCRequest).map((message) => message.id);
  if (ids.length === 0) {
    session.transport.receive(messages);
    parts.response.writeHead(202, parts.headers).end();
    return;
  }
  if (new Set(ids).size < ids.length) {
    refuse(parts.response, { status: 400, code: -32_600, message: 'Invalid Request: an id stands twice in the batch' });
    return;
  }
  const receiver = new Exchange({ ...parts, ids, isBatch: Array.isArray(body) });
  session.transport.receive(messages, receiver);
  await receiver.done;
}

function openStream(session: Session, response: ServerResponse, headers: Headers): void {
  if (session.transport.hasRoomForStream) session.transport.addStream(new SseStream(response, headers));
  else refuse(response, { status: 409, message: 'Conflict: the session has too many streams open' });
}

function parseMessages(body: unknown): readonly JSONRPCMessage[] | Refusal {
  const parts: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (parts.length === 0 || parts.length > maxBatch) {
    return { status: 400, code: -32_600, message: `Invalid Request: a batch has 1 to ${maxBatch} messages` };
  }
  try {
    return parts.map((part) => parseJSONRPCMessage(part));
  } catch {
    return { status: 400, code: -32_600, message: 'Invalid Request: the body is not a JSON-RPC message' };
  }
}

function unsupportedVersion(request: IncomingMessage): Refusal | null {
  const version = request.headers['mcp-protocol-version'];
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return null;
  const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  return { status: 400, message: `Bad Request: Unsupported protocol version (supported versions: ${known})` };
}

function sessionIdOf(request: IncomingMessage): string | undefined {
  const header = request.headers['mcp-session-id'];
  return header === undefined ? undefined : String(header);
}

/** No Accept header accepts everything. */
function acceptedTypes(request: IncomingMessage): { acceptsJson: boolean; acceptsStream: boolean } {
  const types = (request.headers.accept ?? '*/*')
    .toLowerCase()
    .split(',')
    .map((type) => type.split(';')[0]?.trim());
  const accepts = (...names: string[]) => types.includes('*/*') || names.some((name) => types.includes(name));
  return {
    acceptsJson: accepts('application/json', 'application/*'),
    acceptsStream: accepts('text/event-stream', 'text/*'),
  };
}
