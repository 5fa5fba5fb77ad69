/** MCP over streamable HTTP at `/mcp`: both protocol eras, one server object per session or request. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Subscription } from 'rxjs';
import type { Catalogue } from '../catalogue.js';
import type { ResourceFeature } from '../resources/resource-feature.js';
import { createServer, type ServerExtension } from '../server.js';
import { serverInfo } from '../server-info.js';
import { within } from '../within.js';
import { Access } from './access.js';
import { Admission, type AdmissionLimits } from './admission.js';
import { type BindAddress, isLoopback } from './bind-address.js';
import { Endpoint } from './endpoint.js';
import { LegacyEndpoint } from './legacy-endpoint.js';
import { ModernEndpoint } from './modern-endpoint.js';
import { refusalBody } from './refusal.js';
import { Sessions } from './sessions.js';

/** Calls in flight when the server stops have this long for their answers, in milliseconds. */
const answerBoundMs = 1_000;
/** What is still in flight then is cut off, and has this long for the error that says so. */
const cutOffBoundMs = 200;
const usualLimits: AdmissionLimits = { perClient: 256, total: 1_024 };

export interface HttpOptions {
  readonly catalogue: Catalogue;
  readonly instructions: string;
  readonly bind: BindAddress;
  /** Null where none is asked for; `refuseOpenBind` says where that is allowed. */
  readonly token: string | null;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly resources?: ResourceFeature | undefined;
  /** The value of MINI_APP_ACTOR, when set. */
  readonly actor?: string | undefined;
  readonly sessionIdleMs?: number | undefined;
  /** Of calls in flight, and again of open streams. */
  readonly limits?: AdmissionLimits | undefined;
}

export interface RunningHttp {
  /** With the port that was chosen. */
  readonly address: BindAddress;
  readonly sessions: Sessions;
  /** Takes no further request, lets accepted ones be answered, closes. Bounded; safe to call again. */
  stop(reason: string): Promise<void>;
}

/** Listens. @throws the system's error when the address cannot be had. */
export async function serveMcpOverHttp(options: HttpOptions): Promise<RunningHttp> {
  const { catalogue, bind } = options;
  const modern = modernEndpoint(options);
  const sessions = legacySessions(options);
  const calls = new Admission(options.limits ?? usualLimits);
  const streams = new Admission(options.limits ?? usualLimits);
  const access = new Access({ ...options, loopback: isLoopback(bind.host) });
  const legacy = new LegacyEndpoint(sessions);
  const endpoint = new Endpoint({ access, calls, streams, legacy, modern, log: catalogue.log });
  const server = listener(endpoint);
  const subscriptions = announce(options, modern);
  await listen(server, bind);
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    endpoint.stopping = true;
    const closed = once(server, 'close');
    server.close();
    sessions.endStreams();
    await answerAccepted(calls, catalogue);
    for (const subscription of subscriptions) subscription.unsubscribe();
    await Promise.all([modern.close(), sessions.closeAll()]);
    // What was just written leaves before the connections are cut.
    await delay(10);
    server.closeAllConnections();
    await closed;
  };
  return {
    address: { host: bind.host, port: portOf(server) },
    sessions,
    stop(reason) {
      if (stopped === null) catalogue.log.info('the server stops', { reason });
      stopped ??= stop();
      return stopped;
    },
  };
}

function modernEndpoint(options: HttpOptions): ModernEndpoint {
  const session = randomUUID();
  // Pushes reach subscribers through the endpoint; a server that lives for one request only says that there are some.
  const toolChanges: ServerExtension = { capabilities: { tools: { listChanged: true } }, install: () => undefined };
  const extensions = [toolChanges, ...(options.resources === undefined ? [] : [options.resources.extension(false)])];
  return new ModernEndpoint({
    log: options.catalogue.log,
    createServer: () => createServer({ ...options, serverInfo, session, extensions, canNotify: false }),
  });
}

function legacySessions(options: HttpOptions): Sessions {
  const extensions = options.resources === undefined ? [] : [options.resources.extension(true)];
  return new Sessions({
    log: options.catalogue.log,
    idleMs: options.sessionIdleMs,
    createServer: (session) => createServer({ ...options, serverInfo, session, extensions, canNotify: true }),
  });
}

/** What subscribers of the 2026 era are told. */
function announce({ catalogue, resources }: HttpOptions, { notify }: ModernEndpoint): Subscription[] {
  const told = [catalogue.listChanged$.subscribe(() => notify.toolsChanged())];
  if (resources === undefined) return told;
  const changes = resources.changes$.subscribe((change) => {
    if (change.listChanged) notify.resourcesChanged();
    for (const uri of change.updated) notify.resourceUpdated(uri);
  });
  return [...told, changes];
}

function listener(endpoint: Endpoint): HttpServer {
  const server = createHttpServer(
    { requireHostHeader: false, connectionsCheckingInterval: 2_000 },
    (request, response) => {
      void endpoint.handle(request, response);
    },
  );
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  // Longer than clients keep idle connections, so that none sends a request into a connection that just closed.
  server.keepAliveTimeout = 65_000;
  server.on('clientError', answerBrokenRequest);
  return server;
}

const brokenRequests: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is no HTTP request, or does not arrive in time, has no response object to answer with. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = brokenRequests[error.code ?? ''] ?? '400 Bad Request';
  const body = refusalBody({ status: 400, message: status.slice(4) });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
}

async function listen(server: HttpServer, { host, port }: BindAddress): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening;
}

function portOf(server: HttpServer): number {
  const address: AddressInfo | string | null = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}

async function answerAccepted(calls: Admission, catalogue: Catalogue): Promise<void> {
  if (await within(calls.empty(), answerBoundMs)) return;
  catalogue.log.warn('calls are cut off: the server stops while they run');
  await within(Promise.all([catalogue.stop(), calls.empty()]), cutOffBoundMs);
}
