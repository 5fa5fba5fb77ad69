/** What a verification proved, check by check, each with the first difference it met. */

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** The first thing that is not as it should be, in words. */
  readonly first_difference?: string;
  /** What the check could not look at, and why. */
  readonly note?: string;
}

export class Checks {
  readonly #checks = new Map<string, { ok: boolean; first_difference?: string; note?: string }>();

  /** @param names the checks there are, in the order in which they are shown; each is fine until it fails. */
  constructor(names: readonly string[]) {
    for (const name of names) this.#checks.set(name, { ok: true });
  }

  /** Only the first failure of a check counts. */
  fail(name: string, difference: string): void {
    if (this.#checks.get(name)?.ok !== false) this.#checks.set(name, { ok: false, first_difference: difference });
  }

  note(name: string, note: string): void {
    this.#checks.set(name, { ...(this.#checks.get(name) ?? { ok: true }), note });
  }

  isOk(name: string): boolean {
    return this.#checks.get(name)?.ok ?? true;
  }

  get ok(): boolean {
    return [...this.#checks.values()].every((check) => check.ok);
  }

  list(): Check[] {
    return [...this.#checks].map(([name, check]) => ({ name, ...check }));
  }
}
