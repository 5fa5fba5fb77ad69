/** How much may go on at once: in all, and for one remote address, so that one client cannot starve the others. */
import type { Refusal } from './refusal.js';

export interface AdmissionLimits {
  readonly perClient: number;
  readonly total: number;
}

export class Admission {
  readonly #perClient = new Map<string, number>();
  #total = 0;
  #waiting: (() => void)[] = [];

  constructor(private readonly limits: AdmissionLimits) {}

  /** The way to leave, which may be called twice; or why the client has to wait. */
  enter(client: string): (() => void) | Refusal {
    const mine = this.#perClient.get(client) ?? 0;
    if (mine >= this.limits.perClient) return tooMany(429, `Too many requests at once; ${mine} of yours are in flight`);
    if (this.#total >= this.limits.total) return tooMany(503, 'The server is busy');
    this.#perClient.set(client, mine + 1);
    this.#total++;
    let inside = true;
    return () => {
      if (inside) this.#leave(client);
      inside = false;
    };
  }

  /** Resolves when nobody is inside. */
  async empty(): Promise<void> {
    if (this.#total > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(client: string): void {
    const mine = this.#perClient.get(client) ?? 0;
    if (mine > 1) this.#perClient.set(client, mine - 1);
    else this.#perClient.delete(client);
    if (--this.#total > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function tooMany(status: number, message: string): Refusal {
  return { status, message: `${message}; try again in a second`, headers: { 'Retry-After': '1' } };
}
