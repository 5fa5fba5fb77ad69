/** A server-sent event stream: one JSON-RPC message per event, comments while there is nothing to say. */
import type { ServerResponse } from 'node:http';
import { encodeJson } from '../../schema/json.js';

/** Shorter than what proxies and clients call idle, in milliseconds. */
const keepAliveMs = 15_000;
/** What a reader that fell behind may owe, in bytes, before it has to start anew. */
const maxBacklog = 1024 * 1024;

export class SseStream {
  readonly #keepAlive: NodeJS.Timeout;

  constructor(
    private readonly response: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ) {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      ...headers,
    });
    // A first comment, so that proxies pass the headers on at once.
    response.write(': open\n\n');
    this.#keepAlive = setInterval(() => this.#write(': keepalive\n\n'), keepAliveMs).unref();
    response.once('close', () => clearInterval(this.#keepAlive));
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  send(message: unknown): void {
    // Stored row text may hold line breaks, and an event's data is a line.
    const data = encodeJson(message).replace(/\r\n|\r|\n/g, '\ndata: ');
    this.#write(`event: message\ndata: ${data}\n\n`);
  }

  end(): void {
    clearInterval(this.#keepAlive);
    if (this.isOpen) this.response.end();
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    this.response.write(text);
    if (this.response.writableLength > maxBacklog) this.response.destroy();
  }
}
