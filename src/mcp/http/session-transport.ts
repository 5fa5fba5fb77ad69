/** A session of the 2025 era as its server sees it: requests come by POST, what nobody asked for leaves by GET streams. */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Receiver, RequestId } from './exchange.js';
import type { SseStream } from './sse-stream.js';

/** More streams than this are a client that forgets to close them. */
const maxStreams = 8;

export class SessionTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #receivers = new Map<RequestId, Receiver>();
  #streams: SseStream[] = [];
  #closed = false;

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (message.id !== undefined) this.#take(message.id)?.answer(message.id, message);
      return;
    }
    const related = options?.relatedRequestId;
    const receiver = related === undefined ? undefined : this.#receivers.get(related);
    if (receiver === undefined) this.#openStreams().at(-1)?.send(message);
    else receiver.push(message);
  }

  /** Hands messages to the server; the answers go to the receiver, which knows the ids of the requests among them. */
  receive(messages: readonly JSONRPCMessage[], receiver?: Receiver): void {
    for (const message of messages) {
      if (isJSONRPCRequest(message) && receiver !== undefined && !this.#register(message, receiver)) continue;
      this.onmessage?.(message);
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        this.#cancelled(message.params);
    }
  }

  /** False when the session has as many streams as it may. */
  get hasRoomForStream(): boolean {
    return !this.#closed && this.#openStreams().length < maxStreams;
  }

  /** Later messages leave by the stream that was added last. */
  addStream(stream: SseStream): void {
    this.#streams.push(stream);
  }

  get isBusy(): boolean {
    return this.#receivers.size > 0 || this.#openStreams().length > 0;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const receivers = [...this.#receivers];
    this.#receivers.clear();
    for (const [id, receiver] of receivers) receiver.answer(id, sessionEnded(id));
    this.endStreams();
    this.onclose?.();
  }

  /** Ends the streams and leaves the calls alone. */
  endStreams(): void {
    for (const stream of this.#streams.splice(0)) stream.end();
  }

  #register({ id }: JSONRPCRequest, receiver: Receiver): boolean {
    if (this.#closed) {
      receiver.answer(id, sessionEnded(id));
      return false;
    }
    if (this.#receivers.has(id)) {
      const error = { code: -32_600, message: `Invalid Request: the id ${JSON.stringify(id)} is in use` };
      receiver.answer(id, { jsonrpc: '2.0', id, error });
      return false;
    }
    this.#receivers.set(id, receiver);
    return true;
  }

  /** The server answers no request that was cancelled. */
  #cancelled(params: Readonly<Record<string, unknown>> | undefined): void {
    const id = params?.requestId;
    if (typeof id === 'string' || typeof id === 'number') this.#take(id)?.abandon(id);
  }

  #take(id: RequestId): Receiver | undefined {
    const receiver = this.#receivers.get(id);
    this.#receivers.delete(id);
    return receiver;
  }

  #openStreams(): SseStream[] {
    this.#streams = this.#streams.filter((stream) => stream.isOpen);
    return this.#streams;
  }
}

function sessionEnded(id: RequestId): JSONRPCErrorResponse {
  return { jsonrpc: '2.0', id, error: { code: -32_001, message: 'The session has ended' } };
}
