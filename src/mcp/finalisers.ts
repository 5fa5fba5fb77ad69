/** What a call deferred: run once, the last one first, whatever the call's end was. */
import type { LogFields, Logger } from './log.js';

/** A withdrawn call waits this long for its finalisers, in milliseconds. */
export const finaliserBoundMs = 5_000;

type Finaliser = () => void | Promise<void>;

export class Finalisers {
  readonly #deferred: Finaliser[] = [];
  #running: Promise<void> | null = null;

  constructor(
    private readonly log: Logger,
    private readonly about: LogFields,
  ) {}

  readonly defer = (finaliser: Finaliser): void => {
    this.#deferred.push(finaliser);
  };

  /** Failures are logged, never thrown: the call has its result already. Resolves after the bound at the latest. */
  async run(boundMs = finaliserBoundMs): Promise<void> {
    this.#running ??= this.#runAll();
    const late = Symbol('late');
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<typeof late>((resolve) => {
      timer = setTimeout(() => resolve(late), boundMs);
    });
    const outcome = await Promise.race([this.#running, bound]);
    clearTimeout(timer);
    if (outcome === late) this.log.warn('finalisers of a call still run after their bound', { ...this.about, boundMs });
  }

  async #runAll(): Promise<void> {
    for (let finaliser = this.#deferred.pop(); finaliser !== undefined; finaliser = this.#deferred.pop()) {
      try {
        await finaliser();
      } catch (error) {
        this.log.warn('a finaliser of a call failed', { ...this.about, error });
      }
    }
  }
}
