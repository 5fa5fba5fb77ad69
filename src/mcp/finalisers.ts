/** What a call deferred: run once, the last one first, whatever the call's end was. */
import { within } from './within.js';

/** A call waits this long for its finalisers, in milliseconds. */
export const finaliserBoundMs = 5_000;

type Finaliser = () => void | Promise<void>;

export class Finalisers {
  readonly #deferred: Finaliser[] = [];
  #running: Promise<void> | undefined;

  /** @param warn told of failures: the call has its result already. */
  constructor(private readonly warn: (message: string, error?: unknown) => void) {}

  readonly defer = (finaliser: Finaliser): void => {
    this.#deferred.push(finaliser);
    // The work of a call that was cut off goes on: what it defers then is due at once.
    if (this.#running !== undefined) this.#running = this.#running.then(() => this.#runAll());
  };

  /** Never rejects. Resolves after the bound (milliseconds) at the latest. */
  async run(boundMs = finaliserBoundMs): Promise<void> {
    if (this.#running === undefined && this.#deferred.length === 0) {
      this.#running = Promise.resolve();
      return;
    }
    this.#running ??= this.#runAll();
    if (await within(this.#running, boundMs)) return;
    this.warn(`finalisers of a call still run after ${boundMs} ms`);
  }

  async #runAll(): Promise<void> {
    for (let finaliser = this.#deferred.pop(); finaliser !== undefined; finaliser = this.#deferred.pop()) {
      try {
        await finaliser();
      } catch (error) {
        this.warn('a failure of a finaliser was suppressed', error);
      }
    }
  }
}
