/**
 * JSON text read token by token, for output that keeps what a parsed object loses: key order, large integers, keys like
 * `__proto__` (rulings §2 "row JSON").
 */
import type { JsonText } from './json.js';

/** JSON as values that keep the order of keys and the digits of integers. */
export type ExactValue = null | boolean | number | bigint | string | ExactValue[] | Map<string, ExactValue>;

/** What `JSON.stringify(value, null, 2)` writes, with every scalar as it is in the text. */
export function prettyJson(text: JsonText): string {
  let pretty = '';
  let depth = 0;
  let last = '';
  for (const token of tokensOf(text)) {
    const isEmpty = isOpening(last) && isClosing(token);
    if (isOpening(last) && !isEmpty) depth++;
    if (isClosing(token) && !isEmpty) depth--;
    const isNewLine = !isEmpty && (isOpening(last) || isClosing(token) || last === ',');
    pretty += `${isNewLine ? lineBreak(depth) : ''}${token}${token === ':' ? ' ' : ''}`;
    last = token;
  }
  return pretty;
}

/** Integers that a JavaScript number cannot keep become bigint. */
export function exactValue(text: JsonText): ExactValue {
  return new Reader(tokensOf(text)).value();
}

/** Strings, punctuation, and runs of anything else that is no space. */
const tokenPattern = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

function tokensOf(text: JsonText): string[] {
  return text.match(tokenPattern) ?? [];
}

function isOpening(part: string): boolean {
  return part === '{' || part === '[';
}

function isClosing(part: string): boolean {
  return part === '}' || part === ']';
}

function lineBreak(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}

/** The text is valid JSON, so a token that is missing cannot be. */
class Reader {
  #at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  value(): ExactValue {
    const first = this.#next();
    if (first === '{') return this.#members();
    if (first === '[') return this.#items();
    return scalar(first);
  }

  #members(): Map<string, ExactValue> {
    const members = new Map<string, ExactValue>();
    while (this.#inside('}')) {
      const key = String(JSON.parse(this.#next()));
      this.#next();
      members.set(key, this.value());
    }
    return members;
  }

  #items(): ExactValue[] {
    const items: ExactValue[] = [];
    while (this.#inside(']')) items.push(this.value());
    return items;
  }

  #inside(end: string): boolean {
    if (this.tokens[this.#at] === ',') this.#at++;
    if (this.tokens[this.#at] !== end) return true;
    this.#at++;
    return false;
  }

  #next(): string {
    return this.tokens[this.#at++] ?? 'null';
  }
}

function scalar(text: string): null | boolean | number | bigint | string {
  if (/^-?\d{16,}$/.test(text)) {
    const exact = BigInt(text);
    return Number.isSafeInteger(Number(text)) ? Number(text) : exact;
  }
  const value: unknown = JSON.parse(text);
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : null;
}
