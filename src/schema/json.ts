/**
 * JSON as text. Rows are stored, logged and returned as the text the caller's data had, never as a re-serialised object:
 * key order, large integers of older databases and keys like `__proto__` survive exactly (rulings §2 "row JSON", "numbers").
 */
import { randomUUID } from 'node:crypto';
import { StoreError } from '../errors.js';

/** A JSON value as JavaScript sees it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** The text of one valid JSON document. */
export type JsonText = string & { readonly __json: unique symbol };

/** The top-level members of a JSON object: key to the raw text of its value, in stored order. */
export type Members = Map<string, JsonText>;

/** A value that serialises to exactly the text it holds. See {@link encodeJson}. */
export class RawJson {
  /** On one line: outside of strings, where alone JSON can hold a line break, it means nothing, and it would end a message. */
  readonly text: JsonText;

  constructor(text: JsonText) {
    this.text = /[\r\n]/.test(text) ? (text.replace(/[\r\n]+/g, ' ') as JsonText) : text;
  }

  toJSON(): unknown {
    if (pending === null) return JSON.parse(this.text);
    pending.push(this.text);
    return `${MARK}:${pending.length - 1}${MARK}`;
  }
}

/** JSON.stringify writes U+FFFF as it is; the rest keeps a caller's own text from being taken for a mark. */
const MARK = `\uffff${randomUUID()}`;
const markPattern = new RegExp(`"${MARK}:(\\d+)${MARK}"`, 'g');
let pending: JsonText[] | null = null;

/**
 * `JSON.stringify`, except that every {@link RawJson} inside appears as its exact text.
 * @returns compact JSON.
 */
export function encodeJson(value: unknown): JsonText {
  if (value instanceof RawJson) return value.text;
  const outer = pending;
  pending = [];
  try {
    const text = JSON.stringify(value);
    const raw = pending;
    if (raw.length === 0) return text as JsonText;
    return text.replace(markPattern, (mark, index: string) => raw[Number(index)] ?? mark) as JsonText;
  } finally {
    pending = outer;
  }
}

/** The compact JSON text of a JavaScript value. */
export function jsonText(value: JsonValue): JsonText {
  return JSON.stringify(value) as JsonText;
}

/** Parses text that is known to be valid JSON: ours, or checked before. */
export function parseJson(text: JsonText): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** Marks text from outside as JSON when it is a valid JSON object; null when it is not. */
export function asJsonObjectText(text: string): JsonText | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? (text as JsonText) : null;
  } catch {
    return null;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Splits the text of a JSON object into its top-level members. A repeated key keeps its last value. */
export function splitMembers(text: JsonText): Members {
  const members: Members = new Map();
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const valueStart = skipSpace(text, text.indexOf(':', keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    members.set(key, text.slice(valueStart, valueEnd) as JsonText);
    at = skipSpace(text, valueEnd);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return members;
}

/** The compact object text of members, in their order. */
export function joinMembers(members: Members): JsonText {
  let text = '{';
  for (const [key, value] of members) text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${value}`;
  return `${text}}` as JsonText;
}

/** The members of a JavaScript object, each value as compact JSON text. */
export function membersOf(data: JsonObject): Members {
  const members: Members = new Map();
  for (const key of Object.keys(data)) {
    const value = data[key];
    if (value !== undefined) members.set(key, JSON.stringify(value) as JsonText);
  }
  return members;
}

/** The deepest nesting a row may have: SQLite's JSON functions stop at 1,000. */
export const maxDepth = 500;

/**
 * Refuses what JSON or SQLite could only keep damaged: integers beyond ±(2^53−1), NUL and lone surrogates, and nesting
 * deeper than {@link maxDepth}.
 * @throws StoreError VALIDATION_ERROR whose field is the JSON path (rulings §2 "numbers, strings").
 */
export function assertStorable(value: JsonValue, path = '', depth = 0): void {
  if (typeof value === 'string') assertStorableString(value, path);
  else if (typeof value === 'number') assertStorableNumber(value, path);
  else if (typeof value === 'object' && value !== null) assertStorableNested(value, path, depth);
}

function assertStorableNested(value: JsonObject | readonly JsonValue[], path: string, depth: number): void {
  if (depth >= maxDepth) throw refused(path, `nesting is deeper than ${maxDepth} levels; flatten the value`);
  if (Array.isArray(value)) {
    value.forEach((item: JsonValue, index) => {
      assertStorable(item, `${path}[${index}]`, depth + 1);
    });
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const memberPath = path === '' ? key : `${path}.${key}`;
    assertStorableString(key, memberPath);
    assertStorable(member, memberPath, depth + 1);
  }
}

function assertStorableString(text: string, path: string): void {
  if (text.includes('\0')) throw refused(path, 'a string must not hold the NUL character; remove it or encode it');
  if (!text.isWellFormed()) throw refused(path, 'a string must not hold a lone surrogate; send valid Unicode');
}

function assertStorableNumber(value: number, path: string): void {
  if (!Number.isFinite(value)) throw refused(path, 'a number must be finite');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw refused(path, 'an integer beyond ±(2^53−1) would lose digits; send it as a string');
  }
}

function refused(path: string, reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError('VALIDATION_ERROR', { field: path === '' ? '(root)' : path, reason });
}

function skipSpace(text: string, at: number): number {
  let position = at;
  while (isSpace(text.charCodeAt(position))) position++;
  return position;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === 0x22) return endOfString(text, start);
  if (first === 0x7b || first === 0x5b) return endOfNested(text, start);
  let at = start;
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at++;
  return at;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at) - 1;
    else if (code === 0x7b || code === 0x5b) depth++;
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at + 1;
  }
  return text.length;
}

function isDelimiter(code: number): boolean {
  return code === 0x2c || code === 0x7d || code === 0x5d || isSpace(code);
}
