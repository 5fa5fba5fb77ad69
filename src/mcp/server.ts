/** One protocol server over the catalogue; the same factory serves both protocol eras. */
import { type Implementation, Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import { filter, pairwise } from 'rxjs';
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
  const endings = options.canNotify ? [...installed, announceChanges(server, catalogue)] : installed;
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

/** One notification per publication that changes what clients see. */
function announceChanges(server: Server, catalogue: Catalogue): () => void {
  // What is listed is worked out when there is something to compare it with: not at every start.
  const changes = catalogue.announced$.pipe(
    pairwise(),
    filter(([before, after]) => JSON.stringify(publishedTools(before)) !== JSON.stringify(publishedTools(after))),
  );
  const subscription = changes.subscribe(() => {
    server.sendToolListChanged().catch((error: Error) => catalogue.log.debug('tools/list_changed not sent', { error }));
  });
  return () => subscription.unsubscribe();
}
