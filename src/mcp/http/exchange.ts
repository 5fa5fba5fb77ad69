/**
 * One POST and its answer. A quick answer is one JSON body; one that takes longer, or has something to say on the way,
 * becomes a stream whose comments keep the connection alive.
 */
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { encodeJson } from '../../schema/json.js';
import { sendJson } from './refusal.js';
import { SseStream } from './sse-stream.js';

export type RequestId = string | number;

/** Who waits for the answers to some requests of a session. */
export interface Receiver {
  answer(id: RequestId, message: JSONRPCMessage): void;
  /** A message that belongs to one of the requests and comes before its answer. */
  push(message: JSONRPCMessage): void;
  /** The request was cancelled: no answer will come. */
  abandon(id: RequestId): void;
}

export interface ExchangeOptions {
  readonly response: ServerResponse;
  readonly ids: readonly RequestId[];
  readonly isBatch: boolean;
  readonly acceptsJson: boolean;
  readonly acceptsStream: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** After this time, in milliseconds, the answer is a stream. */
  readonly patienceMs?: number;
}

export class Exchange implements Receiver {
  /** Resolves when every request was answered or abandoned, whether or not the client is still there. */
  readonly done: Promise<void>;
  readonly #waiting: Set<RequestId>;
  readonly #answers: JSONRPCMessage[] = [];
  readonly #patience: NodeJS.Timeout;
  #stream: SseStream | null = null;
  #resolveDone: () => void = () => undefined;

  constructor(private readonly options: ExchangeOptions) {
    this.#waiting = new Set(options.ids);
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    this.#patience = setTimeout(() => this.#openStream(), options.patienceMs ?? 5_000).unref();
    if (!options.acceptsJson) this.#openStream();
  }

  answer(id: RequestId, message: JSONRPCMessage): void {
    if (this.#stream === null) this.#answers.push(message);
    else this.#stream.send(message);
    this.abandon(id);
  }

  push(message: JSONRPCMessage): void {
    this.#openStream();
    this.#stream?.send(message);
  }

  abandon(id: RequestId): void {
    if (!this.#waiting.delete(id) || this.#waiting.size > 0) return;
    clearTimeout(this.#patience);
    this.#finish();
    this.#resolveDone();
  }

  #finish(): void {
    const { response, headers, isBatch } = this.options;
    const [first] = this.#answers;
    if (response.destroyed) return;
    // Nobody waits for the answer to a request that its client cancelled, yet the response must end.
    if (this.#stream === null && first === undefined) this.#openStream();
    if (this.#stream !== null) this.#stream.end();
    else if (first === undefined) response.writeHead(202, headers).end();
    else sendJson(response, 200, encodeJson(isBatch ? this.#answers : first), headers);
  }

  #openStream(): void {
    const { response, headers, acceptsStream } = this.options;
    if (!acceptsStream || this.#stream !== null || response.headersSent || response.destroyed) return;
    this.#stream = new SseStream(response, headers);
    for (const message of this.#answers.splice(0)) this.#stream.send(message);
  }
}
