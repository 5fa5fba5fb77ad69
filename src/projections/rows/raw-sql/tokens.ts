/** SQLite's lexical grammar: what a statement consists of, before anything asks what it means. */
import { StoreError } from '../../../errors.js';

export interface Token {
  /** `name` is a quoted identifier: "x", [x] or `x`. */
  readonly kind: 'word' | 'name' | 'string' | 'blob' | 'number' | 'parameter' | 'punctuation';
  /** The text without its quotes; words and names as they are written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** @throws StoreError VALIDATION_ERROR for what ends too early or is no token of SQLite. */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length; ) {
    const { kind, ...place } = tokenAt(sql, at);
    if (kind !== 'space') tokens.push({ kind, ...place });
    at = place.end;
  }
  return tokens;
}

/** VALIDATION_ERROR for a statement that is not allowed. The reason never repeats the statement. */
export function refusedSql(reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError('VALIDATION_ERROR', { field: 'sql', reason }, { hint });
}

const hint =
  'A query is one SELECT, INSERT, UPDATE, DELETE, REPLACE, WITH or VALUES on the table rows (id, data, created_at, updated_at).';

type Found = Omit<Token, 'kind'> & { readonly kind: Token['kind'] | 'space' };
type Rule = readonly [kind: Found['kind'], pattern: RegExp, quotes?: number];

const word = '[A-Za-z_\\u0080-\\u{10ffff}][A-Za-z0-9_$\\u0080-\\u{10ffff}]*';

/** The first pattern that fits at a place is the token; all are sticky. */
const rules: readonly Rule[] = [
  ['space', /[ \t\n\f\r\ufeff]+/y],
  ['space', /--[^\n]*(\n|$)/y],
  ['space', /\/\*[\s\S]*?\*\//y],
  ['blob', /[xX]'[^']*'/y],
  ['string', /'(?:[^']|'')*'/y, 1],
  ['name', /"(?:[^"]|"")*"/y, 1],
  ['name', /`(?:[^`]|``)*`/y, 1],
  ['name', /\[[^\]]*\]/y, 1],
  ['parameter', /\?[0-9]*|[:@#$][A-Za-z0-9_$\u0080-\uffff:]+/y],
  ['number', /(?:0[xX][0-9a-fA-F_]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?)/y],
  ['word', new RegExp(word, 'uy')],
  ['punctuation', /->>|->|\|\||<<|>>|<=|>=|<>|==|!=|\/(?!\*)|[-+*%(),.;=<>&|~]/y],
];

function tokenAt(sql: string, start: number): Found {
  for (const [kind, pattern, quotes = 0] of rules) {
    pattern.lastIndex = start;
    const text = pattern.exec(sql)?.[0];
    if (text === undefined) continue;
    return { kind, text: quotes === 0 ? text : unquoted(text), start, end: start + text.length };
  }
  throw refusedSql(`at character ${start + 1} something begins that does not end, or that is no SQL`);
}

function unquoted(text: string): string {
  const quote = text.charAt(0);
  const inner = text.slice(1, -1);
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
}
