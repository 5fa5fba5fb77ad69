/**
 * MCP over a pair of byte streams, one JSON-RPC message a line. Messages leave through `encodeJson`, so that row data
 * inside is written digit for digit. A line that cannot be read is answered and reading goes on.
 */
import type { Readable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { encodeJson, isJsonObject } from '../schema/json.js';
import { type Line, LineReader } from './line-reader.js';
import type { Logger } from './log.js';
import { PendingRequests } from './pending-requests.js';
import type { ProtocolOutput } from './stdout-guard.js';

const parseError = -32700;
const invalidRequest = -32600;

export interface StdioTransportOptions {
  readonly input: Readable;
  readonly output: ProtocolOutput;
  readonly log: Logger;
  /** Called once: when the input ends or the output breaks. Accepted requests can still be answered after the former. */
  readonly onEnd: (reason: string) => void;
  /**
   * When what the answers need is there. The greeting is answered before that; everything else is held, in order. A
   * client that waits for the greeting to show the server as connected need not wait for the rest to be loaded.
   */
  readonly ready?: Promise<unknown> | undefined;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #reader = new LineReader();
  readonly #pending = new PendingRequests();
  #state: 'reading' | 'draining' | 'closed' = 'reading';
  #ended = false;
  #writing = 0;
  /** What came before `ready`; null when that has come. */
  #held: JSONRPCMessage[] | null = null;

  constructor(private readonly options: StdioTransportOptions) {}

  async start(): Promise<void> {
    const { input, output, ready } = this.options;
    if (ready !== undefined) this.#holdUntil(ready);
    output.onError((error) => this.#broken(error));
    input.on('data', this.#onData);
    input.on('error', this.#onInputError);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    if (input.readableEnded || input.destroyed) this.#onEnd();
  }

  /** Writes one message. Resolves when the reader has room for more; a message after the end is dropped. */
  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(encodeJson(message));
    this.#pending.answered(message);
  }

  /** Takes no further message. Answers still go out. */
  stopAccepting(): void {
    if (this.#state !== 'reading') return;
    this.#state = 'draining';
    this.options.input.off('data', this.#onData).pause();
  }

  /** Resolves when every accepted request has been answered or cancelled, and the answers are out. */
  async drained(): Promise<void> {
    await this.#pending.settled();
    await this.options.output.flushed();
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.stopAccepting();
    this.#state = 'closed';
    const { input } = this.options;
    input.off('end', this.#onEnd).off('close', this.#onEnd);
    this.#pending.clear();
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (const line of this.#reader.push(bytes)) this.#receive(line);
  };

  readonly #onInputError = (error: Error): void => {
    this.options.log.warn('reading stdin failed', { error });
    this.#onEnd();
  };

  readonly #onEnd = (): void => {
    if (this.#state === 'reading') for (const line of this.#reader.end()) this.#receive(line);
    this.#end('stdin ended');
  };

  #end(reason: string): void {
    this.stopAccepting();
    if (this.#ended) return;
    this.#ended = true;
    this.options.onEnd(reason);
  }

  /** Nobody reads any more: there is nothing to say, and nobody to say it to. */
  #broken(error: Error): void {
    const isClosedPipe = 'code' in error && error.code === 'EPIPE';
    if (!isClosedPipe) this.options.log.warn('writing stdout failed', { error });
    this.#pending.clear();
    this.#end('stdout is closed');
  }

  #receive(line: Line): void {
    const message = 'error' in line ? this.#refuse(parseError, `Parse error: ${line.error}`) : this.#parsed(line.text);
    if (message === undefined) return;
    this.#pending.accepted(message);
    if (this.#held === null || isGreeting(message)) this.onmessage?.(message);
    else this.#held.push(message);
  }

  #holdUntil(ready: Promise<unknown>): void {
    this.#held = [];
    const release = () => {
      const held = this.#held ?? [];
      this.#held = null;
      for (const message of held) this.onmessage?.(message);
    };
    // A start that fails ends the process; nothing is answered then.
    ready.then(release, () => undefined);
  }

  #parsed(text: string): JSONRPCMessage | undefined {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#refuse(parseError, 'Parse error: the line is not JSON');
    }
    if (isRequest(value)) return value;
    try {
      return parseJSONRPCMessage(value);
    } catch {
      return this.#refuse(invalidRequest, 'Invalid request: the line is not one JSON-RPC message', idOf(value));
    }
  }

  #refuse(code: number, message: string, id: string | number | null = null): undefined {
    this.options.log.warn('a line on stdin was refused', { reason: message });
    void this.#write(encodeJson({ jsonrpc: '2.0', id, error: { code, message } }));
    return undefined;
  }

  async #write(text: string): Promise<void> {
    if (this.#state === 'closed') return;
    const { input, output } = this.options;
    if (output.write(`${text}\n`)) return;
    // While the reader is behind, taking more requests would only pile up answers.
    this.#writing++;
    input.pause();
    await output.drained();
    if (--this.#writing === 0 && this.#state === 'reading') input.resume();
  }
}

function idOf(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : null;
}

/** Nearly every line is a request or a notification: seen here in a microsecond, where the full check takes forty. */
function isRequest(value: unknown): value is JSONRPCMessage {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') return false;
  const hasId = value.id === undefined || typeof value.id === 'string' || Number.isInteger(value.id);
  return hasId && (value.params === undefined || isJsonObject(value.params));
}

const greetings = ['initialize', 'notifications/initialized', 'ping', 'server/discover'];

function isGreeting(message: JSONRPCMessage): boolean {
  return 'method' in message && greetings.includes(message.method);
}
