/** Cuts a byte stream into lines. Bytes are decoded a whole line at a time, so no chunk border can split a character. */

/** The longest line that is read, in bytes: 64 MiB. */
export const maxLineBytes = 64 * 1024 * 1024;

export type Line =
  | { readonly text: string }
  | { readonly error: 'the line is longer than 64 MiB' | 'the line is not UTF-8' };

export class LineReader {
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  constructor(private readonly maxBytes = maxLineBytes) {}

  /** The lines that the chunk completes, blank ones left out. */
  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      lines.push(...this.#completed(chunk.subarray(from, end)));
      from = end + 1;
    }
    lines.push(...this.#keep(chunk.subarray(from)));
    return lines;
  }

  /** What is left at the end of the stream: a last line needs no line end. */
  end(): Line[] {
    return this.#completed(Buffer.alloc(0));
  }

  #completed(rest: Buffer): Line[] {
    const overflow = this.#keep(rest);
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = false;
    return [...overflow, ...this.#decoded(bytes)];
  }

  #keep(part: Buffer): Line[] {
    if (this.#skipping || part.length === 0) return [];
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.maxBytes) return [];
    this.#parts = [];
    this.#skipping = true;
    return [{ error: 'the line is longer than 64 MiB' }];
  }

  #decoded(bytes: Buffer): Line[] {
    try {
      const text = this.#decoder.decode(bytes).trim();
      return text === '' ? [] : [{ text }];
    } catch {
      return [{ error: 'the line is not UTF-8' }];
    }
  }
}
