/** One session of the 2025 era: a server of its own, reached through a transport of its own. */
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';
import type { Receiver } from './exchange.js';
import { introductionOf } from './session-id.js';
import { SessionTransport } from './session-transport.js';

export class Session {
  readonly transport = new SessionTransport();
  /** Resolves when the server takes messages. */
  readonly ready: Promise<void>;
  /** From `performance.now()`, in milliseconds. */
  usedAt = performance.now();

  constructor(
    readonly id: string,
    private readonly server: Server,
    origin: 'initialized' | 'adopted',
  ) {
    this.ready = this.#connect(origin);
  }

  async close(): Promise<void> {
    await this.ready;
    await this.server.close();
  }

  async #connect(origin: 'initialized' | 'adopted'): Promise<void> {
    await this.server.connect(this.transport);
    if (origin === 'adopted') await this.#introduce();
  }

  /** Says to a new server what the client said to the one before it. */
  async #introduce(): Promise<void> {
    const known = introductionOf(this.id);
    if (known === null) return;
    const { name, version, protocol } = known;
    const id = `introduction of ${this.id}`;
    const params = { protocolVersion: protocol, capabilities: {}, clientInfo: { name, version } };
    await new Promise<void>((resolve) => {
      const receiver: Receiver = { answer: () => resolve(), abandon: () => resolve(), push: () => undefined };
      this.transport.receive([{ jsonrpc: '2.0', id, method: 'initialize', params }], receiver);
    });
    this.transport.receive([initialized]);
  }
}

const initialized: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };
