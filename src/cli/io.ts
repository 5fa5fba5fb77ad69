/** What a command says and where: results on stdout, everything else on stderr. */
import type { WorkProgress } from '../ops/operated-table.js';
import { encodeJson } from '../schema/json.js';

export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether stderr is a terminal, where a line may be drawn again. */
  readonly isTerminal: boolean;
}

export const processIo: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
};

/** One result: a line of JSON for scripts, or lines for people. */
export function print(io: Io, json: boolean, result: unknown, lines: readonly string[]): void {
  io.out(json ? `${encodeJson(result)}\n` : lines.map((line) => `${line}\n`).join(''));
}

/** Shows how far a long command is: on a terminal one line drawn again, elsewhere nothing. */
export class ProgressLine {
  #last = 0;
  #shown = false;

  constructor(
    private readonly io: Io,
    private readonly what: string,
  ) {}

  readonly show = ({ done, total }: WorkProgress): void => {
    const now = Date.now();
    if (!this.io.isTerminal || now - this.#last < 100) return;
    this.#last = now;
    this.#shown = true;
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const bar = '█'.repeat(Math.round(share * 24)).padEnd(24, '░');
    this.io.err(`\r${this.what} ${bar} ${number(done)} of ${number(total)}\x1b[K`);
  };

  clear(): void {
    if (this.#shown) this.io.err('\r\x1b[K');
  }
}

/** `1,234,567` */
export function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 row`, `2 rows` */
export function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1.2 MB`, decimal units. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let scaled = value / 1000;
  let unit = 0;
  for (; scaled >= 999.5 && unit < units.length - 1; unit++) scaled /= 1000;
  return `${scaled.toPrecision(3)} ${units[unit]}`;
}
