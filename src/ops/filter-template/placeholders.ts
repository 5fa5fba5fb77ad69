/** What stands for output values while a template renders, and how they come back into the parsed JSON. */
import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../schema/json.js';
import { TemplateFailure } from './engine.js';

interface Output {
  /** The engine's text of it, for a place inside quotes. */
  readonly text: string;
  /** The value itself, for a place outside of quotes; undefined where it may only stand inside. */
  readonly value: JsonValue | undefined;
}

/**
 * Placeholders are letters and digits that nobody can guess, so a parameter cannot hold one, and no character of them
 * means anything to JSON. The filter's structure is parsed before any value is put back: no value can change it.
 */
export class Placeholders {
  readonly #mark = `Q${randomBytes(12).toString('hex')}`;
  readonly #outputs: Output[] = [];
  #length = 0;
  readonly #pattern = new RegExp(`${this.#mark}(b?)(\\d+)Q`, 'g');

  /** How many characters the outputs have together. */
  get length(): number {
    return this.#length;
  }

  /** Keeps a value and says what to write in its place. */
  keep(output: Output): string {
    this.#length += output.text.length;
    this.#outputs.push(output);
    return `${this.#mark}${this.#outputs.length - 1}Q`;
  }

  /** The rendered text as JSON with the values in it. @throws TemplateFailure; SyntaxError when it is no JSON. */
  resolve(rendered: string): JsonValue {
    return this.#value(JSON.parse(this.#quoted(rendered)) as JsonValue);
  }

  /** Placeholders outside of strings become strings of their own, marked as bare. */
  #quoted(rendered: string): string {
    const parts = new RegExp(`\\\\[\\s\\S]|"|${this.#mark}(\\d+)Q`, 'g');
    let inString = false;
    return rendered.replace(parts, (part, index?: string) => {
      if (part === '"') inString = !inString;
      return index === undefined || inString ? part : `"${this.#mark}b${index}Q"`;
    });
  }

  #value(parsed: JsonValue): JsonValue {
    if (typeof parsed === 'string') return this.#string(parsed);
    if (Array.isArray(parsed)) return parsed.map((item: JsonValue) => this.#value(item));
    return isJsonObject(parsed) ? this.#object(parsed) : parsed;
  }

  #object(parsed: JsonObject): JsonObject {
    const members = Object.entries(parsed).map(([key, value]) => {
      if (key.includes(this.#mark)) throw new TemplateFailure('an output must not stand in the place of a key');
      return [key, this.#value(value)] as const;
    });
    return Object.fromEntries(members);
  }

  #string(parsed: string): JsonValue {
    const [whole, bare, index] = new RegExp(this.#pattern).exec(parsed) ?? [];
    if (bare === 'b' && whole === parsed) return this.#bare(Number(index));
    const text = this.#expanded(parsed);
    if (text.toLowerCase().includes(this.#mark.toLowerCase())) {
      throw new TemplateFailure('the result of tojson must not be changed by another filter');
    }
    return text;
  }

  /** Outputs that were captured or made by tojson stand inside the text of others. */
  #expanded(text: string): string {
    return text.replace(this.#pattern, (_, __, index: string) =>
      this.#expanded(this.#outputs[Number(index)]?.text ?? ''),
    );
  }

  #bare(index: number): JsonValue {
    const output = this.#outputs[index];
    const [whole, , inner] = new RegExp(this.#pattern).exec(output?.text ?? '') ?? [];
    if (whole !== undefined && whole === output?.text) return this.#bare(Number(inner));
    if (output?.value !== undefined) return output.value;
    throw new TemplateFailure('an output outside of quotes must be a number, a boolean, null or a list of scalars');
  }
}
