/** One protocol server over the catalogue; the same factory serves both protocol eras. */
import { type Implementation, Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import { from, switchMap } from 'rxjs';
import { callTool } from './call.js';
import { type CallerDefaults, callerOf } from './caller.js';
import type { Catalogue } from './catalogue.js';
import { definitionOf, type Snapshot } from './view.js';

/** A further part of the protocol, such as resources. */
export interface ServerExtension {
  readonly capabilities: ServerCapabilities;
  /** Adds the handlers; called once per server, before it is connected. What it returns is called when the server closes. */
  install(server: Server): (() => void) | undefined;
}

export interface ServerOptions extends CallerDefaults {
  readonly catalogue: Catalogue;
  readonly instructions: string;
  readonly serverInfo: Implementation;
  readonly extensions?: readonly ServerExtension[] | undefined;
  /** False where the transport cannot push: then `listChanged` is not advertised either. */
  readonly canNotify: boolean;
  /** When the first list can be asked for: what is published until then is no news. */
  readonly ready?: Promise<unknown> | undefined;
}

/** A server that lists and calls what the catalogue holds at that moment. */
export function createServer(options: ServerOptions): Server {
  const { catalogue, extensions = [] } = options;
  const server = new Server(options.serverInfo, {
    capabilities: { tools: options.canNotify ? { listChanged: true } : {} },
    instructions: options.instructions,
  });
  for (const extension of extensions) server.registerCapabilities(extension.capabilities);
  server.setRequestHandler('tools/list', () => ({ tools: publishedTools(catalogue.snapshot) }));
  server.setRequestHandler('tools/call', async (request, context) =>
    callTool(catalogue, {
      name: request.params.name,
      arguments: request.params.arguments,
      caller: callerOf(server, context, request.params.name, options),
      signal: context.mcpReq.signal,
    }),
  );
  const installed = extensions.map((extension) => extension.install(server));
  const endings = options.canNotify ? [...installed, announceChanges(server, options)] : installed;
  server.onclose = () => {
    for (const end of endings) end?.();
  };
  return server;
}

function publishedTools(snapshot: Snapshot) {
  return [...snapshot.tools.values()].map((tool) => {
    const { inputSchema, outputSchema, ...definition } = definitionOf(tool);
    return {
      ...definition,
      inputSchema: { ...inputSchema, type: 'object' as const },
      ...(outputSchema === undefined ? {} : { outputSchema: { ...outputSchema, type: 'object' as const } }),
    };
  });
}

/** One notification per publication that changes what clients see (P-29). */
function announceChanges(server: Server, { catalogue, ready }: ServerOptions): () => void {
  const { listChanged$ } = catalogue;
  // A start that fails ends the process: there is nothing to tell then.
  const isReady = ready?.catch(() => new Promise<never>(() => undefined));
  const changes = isReady === undefined ? listChanged$ : from(isReady).pipe(switchMap(() => listChanged$));
  const subscription = changes.subscribe(() => {
    server.sendToolListChanged().catch((error: Error) => catalogue.log.debug('tools/list_changed not sent', { error }));
  });
  return () => subscription.unsubscribe();
}
