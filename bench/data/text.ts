/** Prose-like text that is the same in every run: words of a fixed vocabulary, drawn by a seeded generator. */
export class TextSource {
  #state: number;
  readonly #words: readonly string[];

  constructor(seed: number) {
    this.#state = seed;
    this.#words = Array.from({ length: 4_000 }, () => this.#word());
  }

  /** A number from 0 up to the bound, which is left out. */
  number(bound: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * bound);
  }

  /** At least so many characters. */
  text(length: number): string {
    let result = '';
    while (result.length < length) result += `${this.#words[this.number(4_000)]}${this.number(12) === 0 ? '.\n' : ' '}`;
    return result;
  }

  #word(): string {
    return Array.from({ length: 2 + this.number(8) }, () => String.fromCharCode(97 + this.number(26))).join('');
  }
}
