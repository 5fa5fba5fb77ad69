/** `sources`: the tables that an aggregate or an alias reads (storage.md §17, rulings §2 "patterns", "aggregates"). */
import { z } from 'zod';
import { StoreError } from '../errors.js';
import { invalid, invalidShape } from './field-errors.js';

/** As given and as stored with an alias. */
export type Sources =
  | { readonly kind: 'single'; readonly value: string }
  | { readonly kind: 'multi'; readonly value: readonly string[] }
  | { readonly kind: 'pattern'; readonly value: string };

export const maxSources = 10;

const name = z.string('must be a table name');
const shape = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('single'), value: name }),
    z.strictObject({ kind: z.literal('multi'), value: z.array(name, 'must be an array of table names') }),
    z.strictObject({ kind: z.literal('pattern'), value: z.string('must be a pattern') }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'kind must be one of single, multi, pattern' : 'must be {kind, value}',
  },
);

/**
 * Tables may be unknown still; a pattern is checked and not yet resolved.
 * @throws StoreError VALIDATION_ERROR (misshapen, a table named twice), AGGREGATOR_ERROR (no table, more than 10, a pattern
 *   that is empty or holds `?`, `[` or `]`).
 */
export function parseSources(input: unknown): Sources {
  const parsed = shape.safeParse(input);
  if (!parsed.success) throw invalidShape('sources', parsed.error);
  const sources = parsed.data;
  if (sources.kind === 'pattern') assertPattern(sources.value);
  if (sources.kind === 'multi') assertNames(sources.value);
  return sources;
}

/**
 * The tables that sources name, those of a pattern in ascending order.
 * @param known the names of the mounted tables.
 * @throws StoreError AGGREGATOR_ERROR when a pattern matches none, or more than 10.
 */
export function sourceNames(sources: Sources, known: readonly string[]): readonly string[] {
  if (sources.kind === 'single') return [sources.value];
  if (sources.kind === 'multi') return sources.value;
  const names = namesMatching(sources.value, known);
  if (names.length === 0) throw refused(`no mounted table matches the pattern '${sources.value}'`);
  assertNames(names);
  return names;
}

/** The names that a pattern matches, ascending. `*` stands for any run of characters; without one it is a name. */
export function namesMatching(pattern: string, known: readonly string[]): string[] {
  assertPattern(pattern);
  return known.filter((candidate) => matches(pattern, candidate)).sort();
}

/** @throws StoreError AGGREGATOR_ERROR for what is no pattern. */
export function assertPattern(pattern: string): void {
  if (pattern === '') throw refused('the pattern is empty');
  if (/[?[\]]/.test(pattern)) throw refused('a pattern knows only *; ? and [ ] are reserved');
}

function assertNames(names: readonly string[]): void {
  if (names.length === 0) throw refused('at least one table is needed');
  if (names.length > maxSources) throw refused(`at most ${maxSources} tables; these are ${names.length}`);
  const twice = names.find((candidate, index) => names.indexOf(candidate) !== index);
  if (twice !== undefined) throw invalid('sources', `table '${twice}' is named twice`);
}

// Each part at its first place after the last one: no backtracking, whatever the pattern.
function matches(pattern: string, candidate: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return candidate === pattern;
  let at = first.length;
  if (!candidate.startsWith(first)) return false;
  for (const part of others) {
    const found = candidate.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return candidate.length - at >= last.length && candidate.endsWith(last);
}

function refused(detail: string): StoreError<'AGGREGATOR_ERROR'> {
  return new StoreError('AGGREGATOR_ERROR', { detail });
}
