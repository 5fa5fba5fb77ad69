/** The work in flight of one view: whom to cut off and whom to wait for. */

type CutOff = (reason: Error) => void;

export class CallScope {
  readonly #controller = new AbortController();
  /** A set of callbacks: listeners of the signal cost a call ten times as much. */
  readonly #listeners = new Set<CutOff>();
  #inFlight = 0;
  #waiting: (() => void)[] = [];

  /** Aborted when the owner is disposed or the server stops. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs work that is waited for. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    this.#inFlight++;
    try {
      return await work();
    } finally {
      this.#inFlight--;
      if (this.#inFlight === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  /** Calls back once when the scope is closed. @returns what ends that. */
  onClose(listener: CutOff): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#inFlight > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Aborts what is in flight and waits for its end. */
  async close(reason: string): Promise<void> {
    if (!this.signal.aborted) {
      const error = new Error(reason);
      this.#controller.abort(error);
      for (const listener of [...this.#listeners]) listener(error);
    }
    await this.idle();
  }
}
