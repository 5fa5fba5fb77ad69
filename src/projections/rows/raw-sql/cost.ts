/**
 * Whether a statement could take longer than one pass over `rows` does. SQLite cannot be interrupted from here, so such a
 * statement is tried in a process that can be killed before it may run in this one.
 */
import type { JsonValue } from '../../../schema/json.js';
import { isMark, isWord } from './common-tables.js';
import type { Token } from './tokens.js';

/** What SQLite makes of a statement. */
export interface CompiledStatement {
  /** The lines of EXPLAIN QUERY PLAN. */
  readonly plan: readonly string[];
  /** One entry per call in the program: the name of the function; `||` for a concatenation. */
  readonly calls: readonly string[];
  /** Of a row of the answer; 0 without one. */
  readonly columns: number;
}

export interface StatementText {
  readonly tokens: readonly Token[];
  readonly params: readonly JsonValue[];
}

/** True unless it is certain that the statement is one pass with functions that take and make little. */
export function mayTakeLong({ plan, calls, columns }: CompiledStatement, text: StatementText): boolean {
  const steps = plan.filter((line) => /^(SCAN|SEARCH)\b/.test(line)).length;
  if (steps > 1 || columns > mostColumns || calls.some((name) => !cheap.has(name) && !growing.has(name))) return true;
  return calls.filter((name) => growing.has(name)).length > mostGrowth || matchesAtLength(text);
}

/** Whether compiling alone may take long: SQLite copies a nested SELECT into each place that names its columns. */
export function isNested(tokens: readonly Token[]): boolean {
  return tokens.filter((token) => isWord(token, 'SELECT')).length > 1;
}

/** Their result is no longer than their arguments, and takes time in proportion to them. */
const cheap = new Set(
  `-> ->> abs acos asin atan atan2 avg ceil ceiling char coalesce cos count date datetime degrees exp floor glob ifnull
  iif json json_array_length json_error_position json_extract json_quote json_remove json_type json_valid jsonb
  jsonb_extract jsonb_remove julianday length like likelihood likely ln log log10 log2 lower max min mod nullif
  octet_length pi pow power radians random round sign sin sqrt strftime substr substring subtype sum tan time timediff
  total trunc typeof unicode unixepoch unlikely upper`.split(/\s+/),
);

/** Their result is as long as their arguments together, so a few of them in one another do little. */
const growing = new Set(
  `|| concat concat_ws json_array json_insert json_object json_patch json_replace json_set jsonb_array jsonb_insert
  jsonb_object jsonb_patch jsonb_replace jsonb_set quote`.split(/\s+/),
);
const mostGrowth = 16;

/** A row of the answer is in memory as a whole before its length is known. */
const mostColumns = 64;

/** Matching takes the product of both lengths, so a pattern has to be a short text that is known beforehand. */
function matchesAtLength({ tokens, params }: StatementText): boolean {
  const hasLongParam = params.some((value) => typeof value === 'string' && value.length > longestPattern);
  return tokens.some((token, at) => {
    if (!isWord(token, 'LIKE', 'GLOB')) return false;
    const pattern = tokens[at + 1];
    if (isMark(tokens[at + 2], '||')) return true;
    if (pattern?.kind === 'parameter') return hasLongParam;
    return pattern?.kind !== 'string' || pattern.text.length > longestPattern;
  });
}

const longestPattern = 1_000;
