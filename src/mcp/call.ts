/**
 * One tool call: look-up in the current snapshot, admission, arguments, the service, encoding. What the caller can act on
 * becomes a result of rulings 1.2; everything else a sanitised one whose cause is in the log under its incident id.
 */
import { randomUUID } from 'node:crypto';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isStoreError, StoreError } from '../errors.js';
import type { Caller } from '../events/types.js';
import { nearest } from '../schema/suggest.js';
import { type Arguments, argumentErrorOf, repairArguments } from './arguments.js';
import type { CallContext, Encodable, Parsed } from './binding.js';
import type { Catalogue } from './catalogue.js';
import { contributorText } from './contributor.js';
import { CutOff } from './cut-off.js';
import { Finalisers } from './finalisers.js';
import type { LogFields, Logger } from './log.js';
import {
  declaredErrorResult,
  errorResult,
  valueResult,
  voidResult,
  WireFailure,
  wireFailureResult,
} from './results.js';
import type { PublishedTool } from './view.js';

export interface CallRequest {
  readonly name: string;
  /** Absent equals `{}`. */
  readonly arguments: Arguments | undefined;
  readonly caller: Caller;
  /** Aborted when the client cancels the request. */
  readonly signal: AbortSignal;
}

/**
 * Calls a tool of the current snapshot; the call ends on the binding and the service that it began with.
 * A StoreError that the service throws is answered as it is: the store's errors count as declared by every contract.
 * @throws ProtocolError for an unknown tool, and for a call cut off by its owner's or the server's end.
 */
export async function callTool(catalogue: Catalogue, request: CallRequest): Promise<CallToolResult> {
  const tool = lookUp(catalogue, request.name);
  const refusal = refusalOf(catalogue, tool);
  if (refusal !== undefined) return errorResult(refusal);
  return tool.view.scope.track(() => new Call(catalogue, tool, request).run());
}

function lookUp(catalogue: Catalogue, name: string): PublishedTool {
  const { tools, revision } = catalogue.snapshot;
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const meant = nearest(name, tools.keys());
  const guess = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  const shown = name.slice(0, 128);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool '${shown}'; the tools are at revision ${revision}. List the tools again.${guess}`,
  );
}

/** Decided in the same turn as the look-up: what is admitted now ends on this revision, whatever is published later. */
function refusalOf(catalogue: Catalogue, tool: PublishedTool): StoreError | undefined {
  try {
    catalogue.admit(tool.view);
    return undefined;
  } catch (error) {
    if (isStoreError(error)) return error;
    throw error;
  }
}

class Call {
  readonly #started = performance.now();
  readonly #log: Logger;
  readonly #finalisers: Finalisers;
  readonly #cutOff: CutOff;

  constructor(
    private readonly catalogue: Catalogue,
    private readonly tool: PublishedTool,
    private readonly request: CallRequest,
  ) {
    this.#log = catalogue.log;
    this.#finalisers = new Finalisers((message, error) => this.#log.warn(message, this.#details({ error })));
    this.#cutOff = new CutOff(request.signal, tool.view.scope);
  }

  async run(): Promise<CallToolResult> {
    try {
      const result = await this.#result();
      if (this.#log.isDebug) this.#log.debug('call', this.#details({ error: result.isError === true }));
      return result;
    } finally {
      this.#cutOff.end();
    }
  }

  async #result(): Promise<CallToolResult> {
    try {
      const parsed = this.#parse();
      if (!parsed.ok) return errorResult(argumentErrorOf(parsed.error));
      if (this.#cutOff.reason !== undefined) throw this.#cutOff.reason;
      const work = parsed.run(this.#context());
      return this.#encode(await this.#cutOff.wait(work, (error) => this.#suppress(error)));
    } catch (error) {
      return this.#failure(error);
    } finally {
      await this.#finalisers.run();
    }
  }

  #parse(): Parsed {
    const { binding, inputSchema } = this.tool;
    const admitted = binding.admit(this.catalogue.services);
    return admitted.parse(repairArguments(this.request.arguments ?? {}, inputSchema));
  }

  #context(): CallContext {
    const cutOff = this.#cutOff;
    return {
      caller: this.#caller(),
      get signal() {
        return cutOff.signal;
      },
      defer: this.#finalisers.defer,
    };
  }

  /** Events name the plugin whose tool wrote them. */
  #caller(): Caller {
    const { caller } = this.request;
    const { contributor } = this.tool.view;
    if (contributor === undefined) return caller;
    return { ...caller, origin: { ...caller.origin, plugin: contributorText(contributor) } };
  }

  #encode(success: Encodable): CallToolResult {
    const { annotation, view } = this.tool;
    return annotation.output === 'void' ? voidResult() : valueResult(success.encode(), view.text);
  }

  #failure(thrown: unknown): CallToolResult {
    const error = readable(thrown);
    // Cancellation wins: what fails because of it is no result of the call (P-20).
    if (this.#cutOff.reason !== undefined) throw this.#withdrawn(this.#cutOff.reason, error);
    if (error instanceof WireFailure) return wireFailureResult(error);
    if (isStoreError(error)) return this.#storeFailure(error);
    try {
      const declared = this.tool.binding.operation.error?.safeEncode(error);
      if (declared?.success === true) return declaredErrorResult(declared.data);
      return this.#systemFailure(error);
    } catch (encoding) {
      return this.#systemFailure(new AggregateError([error, encoding], 'a declared error could not be encoded'));
    }
  }

  #systemFailure(error: unknown): CallToolResult {
    const incident = randomUUID();
    this.#log.error('call failed', this.#details({ incident, error }));
    return errorResult(new StoreError('INTERNAL', { incident }));
  }

  #storeFailure(error: StoreError): CallToolResult {
    if (error.kind === 'system') this.#log.error('call failed', this.#details({ error }));
    else if (error.cause !== undefined) this.#log.warn('call refused', this.#details({ error }));
    return errorResult(error);
  }

  #withdrawn(reason: Error, error: unknown): Error {
    this.#suppress(error);
    return new ProtocolError(ProtocolErrorCode.InternalError, `The call was cut off: ${reason.message}`);
  }

  #suppress(thrown: unknown): void {
    const error = readable(thrown);
    const isTheEnd = error === this.#cutOff.reason || (error instanceof Error && error.name === 'AbortError');
    if (!isTheEnd) this.#log.warn('a failure during cancellation was suppressed', this.#details({ error }));
  }

  /** What tells this call from others in the log (P-17). */
  #details(fields: LogFields): LogFields {
    const { binding, view, annotation } = this.tool;
    return {
      service: binding.service,
      operation: `${binding.operation.id}@${binding.operation.version}`,
      view: view.name,
      revision: view.revision,
      tool: annotation.name,
      request: this.request.caller.origin.request,
      duration_ms: Math.round(performance.now() - this.#started),
      ...fields,
    };
  }
}

/** What a tool throws may throw in its turn when it is looked at, and that must not be what the client is told. */
function readable(thrown: unknown): unknown {
  try {
    if (thrown instanceof Error) String([thrown.name, thrown.message, thrown.stack]);
    return thrown;
  } catch {
    return new Error('something was thrown that cannot be looked at');
  }
}
