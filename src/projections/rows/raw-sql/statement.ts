/** One statement of a batch on `rows`: checked by both fences before anything runs, then run as a trial. */
import type { Connection } from '../../../events/database.js';
import type { JsonValue } from '../../../schema/json.js';
import { mayTakeLong } from './cost.js';
import { checkGrammar } from './grammar.js';
import { checkProgram, Uncompilable } from './program.js';
import { refusedSql, type Token } from './tokens.js';

export interface CheckedStatement {
  readonly sql: string;
  readonly bindings: Readonly<Record<string, unknown>>;
  /** Why SQLite cannot compile it; null when it can. */
  readonly objection: string | null;
  /** Whether it has to be tried where it can be stopped before it runs here. */
  readonly mayTakeLong: boolean;
}

/** The part of a checked statement that running it takes. */
export type RunnableStatement = Pick<CheckedStatement, 'sql' | 'bindings'>;

/** The most rows that one statement may answer with. */
export const mostRows = 10_000;

/** The most that the rows of one answer may hold: names and values, in characters of their text. */
export const mostCharacters = 8 * 1024 * 1024;

export type AnswerRow = Readonly<Record<string, JsonValue>>;

export interface StatementAnswer {
  /** Null for a statement that answers with no rows. */
  readonly rows: readonly AnswerRow[] | null;
}

/**
 * Params keep their JSON types: booleans are 1 and 0, objects and arrays their JSON text.
 * @throws StoreError VALIDATION_ERROR, field `sql` or `params`.
 */
export function checkStatement(sql: string, params: readonly JsonValue[]): CheckedStatement {
  const tokens = checkGrammar(sql);
  const numbered = numberParameters(sql, tokens, params.length);
  const bindings = Object.fromEntries(params.map((value, index) => [String(index + 1), bound(value)]));
  try {
    const compiled = checkProgram(numbered, bindings);
    return { sql: numbered, bindings, objection: null, mayTakeLong: mayTakeLong(compiled, { tokens, params }) };
  } catch (error) {
    const refused = { sql: numbered, bindings, mayTakeLong: false };
    if (error instanceof Uncompilable) return { ...refused, objection: error.message };
    throw error;
  }
}

/** Runs it on a connection whose writes are captured. @throws StoreError VALIDATION_ERROR for too long an answer. */
export function runStatement(connection: Connection, { sql, bindings }: RunnableStatement): StatementAnswer {
  const statement = connection.prepare<unknown[], Record<string, unknown>>(sql).safeIntegers(true);
  const args = Object.keys(bindings).length === 0 ? [] : [bindings];
  if (!statement.reader) {
    statement.run(...args);
    return { rows: null };
  }
  const rows: AnswerRow[] = [];
  let characters = 0;
  for (const row of statement.iterate(...args)) {
    if (rows.length === mostRows) throw refusedSql(`it answers with more than ${mostRows} rows; add a LIMIT`);
    characters += lengthOf(row);
    if (characters > mostCharacters) throw refusedSql(tooLong);
    rows.push(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)])));
  }
  return { rows };
}

const tooLong = `its answer is longer than ${mostCharacters} characters; select fewer columns or rows`;

function lengthOf(row: Readonly<Record<string, unknown>>): number {
  return Object.entries(row).reduce((sum, [name, value]) => sum + name.length + valueLength(value), 0);
}

/** Beside texts and blobs there are numbers only, and the punctuation of JSON. */
function valueLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Buffer.isBuffer(value) ? Math.ceil(value.length / 3) * 4 : 8;
}

/** Every parameter gets its number, as SQLite counts them, so that they can be bound by it. */
function numberParameters(sql: string, tokens: readonly Token[], given: number): string {
  const used = new Set<number>();
  let text = '';
  let at = 0;
  for (const token of tokens.filter(({ kind }) => kind === 'parameter')) {
    if (!token.text.startsWith('?')) throw refusedSql('parameters are written ? or ?1, ?2, …');
    const number = token.text === '?' ? Math.max(0, ...used) + 1 : Number(token.text.slice(1));
    used.add(number);
    text += `${sql.slice(at, token.start)}?${number}`;
    at = token.end;
  }
  const isComplete = used.size === given && [...used].every((number) => number >= 1 && number <= given);
  if (!isComplete) throw refusedSql(`params has ${given} values, the statement uses ${used.size} parameters`);
  return text + sql.slice(at, tokens.at(-1)?.end ?? sql.length);
}

function bound(value: JsonValue): unknown {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function shown(value: unknown): JsonValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Buffer.isBuffer(value)) return value.toString('base64');
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)) ? value : null;
}
