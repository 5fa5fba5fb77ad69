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
import { Finalisers } from './finalisers.js';
import type { LogFields, Logger } from './log.js';
import { declaredErrorResult, errorResult, valueResult, voidResult } from './results.js';
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
 * @throws ProtocolError for an unknown tool, and for a call cut off by its owner's or the server's end.
 */
export async function callTool(catalogue: Catalogue, request: CallRequest): Promise<CallToolResult> {
  const tool = lookUp(catalogue, request.name);
  const refusal = refusalOf(catalogue, tool);
  if (refusal !== undefined) return errorResult(refusal);
  return tool.view.scope.track(new Call(catalogue, tool, request).run());
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
  readonly #about: LogFields;
  readonly #log: Logger;
  readonly #finalisers: Finalisers;
  readonly #controller = new AbortController();

  constructor(
    private readonly catalogue: Catalogue,
    private readonly tool: PublishedTool,
    private readonly request: CallRequest,
  ) {
    const { binding, view } = tool;
    this.#log = catalogue.log;
    this.#about = {
      service: binding.service,
      operation: `${binding.operation.id}@${binding.operation.version}`,
      view: view.name,
      revision: view.revision,
      tool: tool.annotation.name,
      request: request.caller.origin.request,
    };
    this.#finalisers = new Finalisers(this.#log, this.#about);
  }

  async run(): Promise<CallToolResult> {
    const unlink = this.#linkSignals();
    try {
      const result = await this.#result();
      this.#log.debug('call', this.#details({ error: result.isError === true }));
      return result;
    } finally {
      unlink();
    }
  }

  async #result(): Promise<CallToolResult> {
    try {
      const parsed = this.#parse();
      if (!parsed.ok) return errorResult(argumentErrorOf(parsed.error));
      this.#controller.signal.throwIfAborted();
      return this.#encode(await this.#unlessAborted(parsed.run(this.#context())));
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
    return { caller: this.#caller(), signal: this.#controller.signal, defer: this.#finalisers.defer };
  }

  /** Events name the plugin whose tool wrote them. */
  #caller(): Caller {
    const { caller } = this.request;
    const { contributor } = this.tool.view;
    if (contributor === undefined) return caller;
    const { plugin, version } = contributor;
    return { ...caller, origin: { ...caller.origin, plugin: version === undefined ? plugin : `${plugin}@${version}` } };
  }

  #encode(success: Encodable): CallToolResult {
    const { annotation, view } = this.tool;
    return annotation.output === 'void' ? voidResult() : valueResult(success.encode(), view.text);
  }

  #failure(error: unknown): CallToolResult {
    // Cancellation wins: what fails because of it is no result of the call.
    if (this.#controller.signal.aborted) throw this.#withdrawn(error);
    if (isStoreError(error)) return this.#storeFailure(error);
    const declared = this.tool.binding.operation.error?.safeEncode(error);
    if (declared?.success === true) return declaredErrorResult(declared.data);
    const incident = randomUUID();
    this.#log.error('call failed', this.#details({ incident, error }));
    return errorResult(new StoreError('INTERNAL', { incident }));
  }

  #storeFailure(error: StoreError): CallToolResult {
    if (error.kind === 'system') this.#log.error('call failed', this.#details({ error }));
    else if (error.cause !== undefined) this.#log.warn('call refused', this.#details({ error }));
    return errorResult(error);
  }

  #withdrawn(error: unknown): Error {
    const reason: unknown = this.#controller.signal.reason;
    this.#suppress(error);
    const text = reason instanceof Error ? reason.message : 'cancelled';
    return new ProtocolError(ProtocolErrorCode.InternalError, `The call was cut off: ${text}`);
  }

  /** An abort ends the wait, not the work: promises and running statements cannot be interrupted from outside. */
  async #unlessAborted(work: Promise<Encodable>): Promise<Encodable> {
    const { signal } = this.#controller;
    return new Promise((resolve, reject) => {
      const abandon = () => reject(signal.reason);
      signal.addEventListener('abort', abandon, { once: true });
      if (signal.aborted) abandon();
      work.then(resolve, (error: unknown) => {
        if (signal.aborted) this.#suppress(error);
        reject(error);
      });
    });
  }

  #suppress(error: unknown): void {
    if (error === this.#controller.signal.reason || isCancellation(error)) return;
    this.#log.warn('a failure during cancellation was suppressed', this.#details({ error }));
  }

  /** Listeners of its own instead of `AbortSignal.any`, which keeps every call's signal alive as long as the view's. */
  #linkSignals(): () => void {
    const sources = [this.request.signal, this.tool.view.scope.signal];
    const links = sources.map((source) => {
      const abort = () => this.#controller.abort(source.reason ?? new Error('cancelled'));
      if (source.aborted) abort();
      source.addEventListener('abort', abort, { once: true });
      return () => source.removeEventListener('abort', abort);
    });
    return () => {
      for (const unlink of links) unlink();
    };
  }

  #details(fields: LogFields): LogFields {
    return { ...this.#about, duration_ms: Math.round(performance.now() - this.#started), ...fields };
  }
}

/** How promises and streams end that were told to. */
function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'EmptyError');
}
