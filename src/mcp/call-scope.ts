/** The calls in flight of one view: who to abort and whom to wait for. */
import { setMaxListeners } from 'node:events';

export class CallScope {
  readonly #controller = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor() {
    // One listener per call in flight is no leak, however many there are.
    setMaxListeners(0, this.#controller.signal);
  }

  /** Aborted when the owner is disposed or the server stops. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Remembers a call until it ends. */
  track<T>(call: Promise<T>): Promise<T> {
    const ended: Promise<unknown> = call.then(ignore, ignore).then(() => this.#inFlight.delete(ended));
    this.#inFlight.add(ended);
    return call;
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Aborts what is in flight and waits for its end. */
  async close(reason: string): Promise<void> {
    this.#controller.abort(new Error(reason));
    await this.idle();
  }
}

function ignore(): void {}
