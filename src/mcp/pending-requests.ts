/** The requests that were accepted and not answered yet. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

type RequestId = string | number;

export class PendingRequests {
  readonly #ids = new Set<RequestId>();
  #waiting: (() => void)[] = [];

  accepted(message: JSONRPCMessage): void {
    // A subscription is open until one side ends it; there is no answer to wait for.
    if (!('method' in message)) return;
    if ('id' in message) {
      if (message.method !== 'subscriptions/listen') this.#ids.add(message.id);
    } else if (message.method === 'notifications/cancelled') this.#remove(message.params?.requestId);
  }

  answered(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#remove(message.id);
  }

  get size(): number {
    return this.#ids.size;
  }

  /** Forgets all of them: nobody can be answered any more. */
  clear(): void {
    this.#ids.clear();
    this.#release();
  }

  async settled(): Promise<void> {
    if (this.#ids.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #remove(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#ids.delete(id);
    if (this.#ids.size === 0) this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
