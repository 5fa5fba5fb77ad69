/** Resources as a part of the protocol: list, read, and subscriptions where the transport can push. */
import {
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import type { Observable } from 'rxjs';
import { onOutgoing } from '../outgoing.js';
import type { ServerExtension } from '../server.js';
import { listResources, listTemplates } from './list-resources.js';
import { canonicalUri, type ResourceSources, readResource, resourceNotFound } from './read-resource.js';
import { type ResourceChange, resourceChanges } from './resource-changes.js';

export class ResourceFeature {
  /** Shared by all listeners. */
  readonly changes$: Observable<ResourceChange>;

  constructor(private readonly sources: ResourceSources) {
    this.changes$ = resourceChanges(sources);
  }

  /** `pushes`: the server itself tells its client of changes; otherwise whoever serves it does, from `changes$`. */
  extension(pushes: boolean): ServerExtension {
    return {
      capabilities: { resources: { subscribe: true, listChanged: true } },
      install: (server) => {
        this.#answerReads(server);
        keepLegacyCode(server);
        return pushes ? this.#push(server) : undefined;
      },
    };
  }

  #answerReads(server: Server): void {
    const { sources } = this;
    server.setRequestHandler('resources/list', () => ({ resources: listResources(sources.registry) }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates() }));
    server.setRequestHandler('resources/read', (request) => readResource(sources, request.params.uri));
  }

  #push(server: Server): () => void {
    const { sources } = this;
    /** As the client wrote them, with the URI that changes are told by. */
    const subscribed = new Map<string, string>();
    server.setRequestHandler('resources/subscribe', ({ params }) => {
      if (subscribed.size < maxSubscribed) subscribed.set(params.uri, canonicalUri(sources, params.uri));
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
    const quiet = (error: unknown) => sources.catalogue.log.debug('a resource notification was not sent', { error });
    const listening = this.changes$.subscribe(({ listChanged, updated }) => {
      if (listChanged) server.sendResourceListChanged().catch(quiet);
      for (const uri of wanted(server, subscribed, updated)) server.sendResourceUpdated({ uri }).catch(quiet);
    });
    return () => listening.unsubscribe();
  }
}

const maxSubscribed = 1_000;

/** Subscriptions of the 2026 era are kept by the connection, which leaves out what was not asked for. */
function wanted(server: Server, subscribed: ReadonlyMap<string, string>, updated: readonly string[]): string[] {
  if (!isLegacy(server)) return [...updated];
  return [...subscribed].filter(([, canonical]) => updated.includes(canonical)).map(([uri]) => uri);
}

/** The library sends its newest revision's code to everybody; clients of the older ones expect theirs. */
function keepLegacyCode(server: Server): void {
  onOutgoing(server, (message) => (isLegacy(server) && isNotFound(message) ? withCode(message) : message));
}

function withCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(message)) return message;
  return { ...message, error: { ...message.error, code: resourceNotFound } };
}

function isNotFound(message: JSONRPCMessage): boolean {
  if (!isJSONRPCErrorResponse(message) || message.error.code !== ProtocolErrorCode.InvalidParams) return false;
  const { data } = message.error;
  return typeof data === 'object' && data !== null && 'uri' in data && 'code' in data && data.code === 'NOT_FOUND';
}

function isLegacy(server: Server): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') < '2026';
}
