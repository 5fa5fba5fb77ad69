/** How a call is cut off: by its client, by the end of its view's owner or of the server (P-18, P-19). */
import type { CallScope } from './call-scope.js';

/** Makes a signal only for a service that reads it: nearly every call ends without. */
export class CutOff {
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #ends: (() => void)[] = [];

  constructor(
    private readonly client: AbortSignal,
    private readonly scope: CallScope,
  ) {}

  /** Why the call was cut off; undefined while it was not. */
  get reason(): Error | undefined {
    if (this.#reason !== undefined) return this.#reason;
    const source = this.client.aborted ? this.client : this.scope.signal;
    if (source.aborted) this.#reason = source.reason instanceof Error ? source.reason : new Error('cancelled');
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.#listen((reason) => controller.abort(reason));
    }
    return this.#controller.signal;
  }

  /** An abort ends the wait, not the work: promises and running statements cannot be interrupted from outside. */
  async wait<T>(work: Promise<T>, late: (error: unknown) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#listen(reject);
      work.then(resolve, (error: unknown) => {
        if (this.reason !== undefined) late(error);
        reject(error);
      });
    });
  }

  /** Stops listening: the call is over. */
  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  #listen(listener: (reason: Error) => void): void {
    const { reason, client } = this;
    if (reason !== undefined) {
      listener(reason);
      return;
    }
    const told = () => listener(this.reason ?? new Error('cancelled'));
    client.addEventListener('abort', told);
    this.#ends.push(() => client.removeEventListener('abort', told), this.scope.onClose(told));
  }
}
