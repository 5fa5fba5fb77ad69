/** The common table expressions of a statement: their names, and that none of them recurs without end. */
import { refusedSql, type Token } from './tokens.js';

/** The most rows that a recursive one may be asked for. */
const mostRecursions = 100_000;

/** Lower-case names. @throws StoreError VALIDATION_ERROR for a recursive one without a LIMIT of its own. */
export function commonTables(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const body = isName(token) ? bodyOf(tokens, at + 1) : null;
    if (body === null) continue;
    const name = token.text.toLowerCase();
    names.add(name);
    const inside = tokens.slice(body, closing(tokens, body - 1));
    if (readsItself(name, inside) && !isLimited(inside)) {
      throw refusedSql(
        `the recursive table ${token.text} needs a LIMIT of at most ${mostRecursions} in its own SELECT`,
      );
    }
  }
  return names;
}

export function isName(token: Token | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'name';
}

export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

export function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'punctuation' && token.text === mark;
}

/** The position behind the token that closes the parenthesis at `open`. */
export function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (isMark(tokens[at], '(')) depth++;
    if (isMark(tokens[at], ')') && --depth === 0) return at;
  }
  throw refusedSql('a parenthesis is not closed');
}

/** Where the body of `name [(columns)] AS [[NOT] MATERIALIZED] (SELECT` begins; null when this is something else. */
function bodyOf(tokens: readonly Token[], afterName: number): number | null {
  let at = isMark(tokens[afterName], '(') ? closing(tokens, afterName) + 1 : afterName;
  if (!isWord(tokens[at++], 'AS')) return null;
  if (isWord(tokens[at], 'NOT')) at++;
  if (isWord(tokens[at], 'MATERIALIZED')) at++;
  return isMark(tokens[at], '(') && isWord(tokens[at + 1], 'SELECT', 'WITH', 'VALUES') ? at + 1 : null;
}

function readsItself(name: string, body: readonly Token[]): boolean {
  return body.some((token, at) => {
    const before = body[at - 1];
    const isTable = isWord(before, 'FROM', 'JOIN', 'IN') || isMark(before, ',') || isMark(before, '(');
    return isTable && token.kind !== 'number' && token.text.toLowerCase() === name;
  });
}

function isLimited(body: readonly Token[]): boolean {
  let depth = 0;
  return body.some((token, at) => {
    if (isMark(token, '(')) depth++;
    if (isMark(token, ')')) depth--;
    const limit = body[at + 1];
    if (depth !== 0 || !isWord(token, 'LIMIT') || limit?.kind !== 'number') return false;
    return /^[0-9]+$/.test(limit.text) && Number(limit.text) <= mostRecursions && !isWord(body[at + 2], 'OFFSET');
  });
}
