/** What a command says and where: results on stdout, everything else on stderr. */
import type { SingleBar } from 'cli-progress';
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

/** Shows how far a long command is: on a terminal a bar, elsewhere nothing. */
export class ProgressLine {
  #bar: SingleBar | null = null;

  private constructor(private readonly makeBar: (() => SingleBar) | null) {}

  /** The bar's library is loaded where there is a terminal to draw on. */
  static async on(io: Io, what: string): Promise<ProgressLine> {
    if (!io.isTerminal) return new ProgressLine(null);
    const { SingleBar, Presets } = (await import('cli-progress')).default;
    const format = `${what} {bar} {value} of {total}`;
    const options = { format, clearOnComplete: true, hideCursor: true, etaBuffer: 100, stream: process.stderr };
    return new ProgressLine(() => new SingleBar(options, Presets.shades_classic));
  }

  readonly show = ({ done, total }: WorkProgress): void => {
    if (this.makeBar === null) return;
    if (this.#bar === null) {
      this.#bar = this.makeBar();
      this.#bar.start(total, done);
    }
    this.#bar.setTotal(total);
    this.#bar.update(done);
  };

  clear(): void {
    this.#bar?.stop();
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
