/** The bounds of a filter, checked before anything recursive looks at it (rulings §2 "filters"). */
import { StoreError } from '../errors.js';

export const maxFilterDepth = 32;
export const maxFilterNodes = 1000;

/** Walks with a list instead of the call stack: a hostile depth costs an error, not the process. */
export function assertFilterSize(input: unknown): void {
  let level: unknown[] = [input];
  let nodes = 0;
  for (let depth = 1; level.length > 0; depth++) {
    nodes += level.length;
    if (depth > maxFilterDepth) throw tooLarge(`is nested deeper than ${maxFilterDepth} levels`);
    if (nodes > maxFilterNodes) throw tooLarge(`has more than ${maxFilterNodes} nodes`);
    level = level.flatMap(childrenOf);
  }
}

function childrenOf(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null || !('filters' in node)) return [];
  return Array.isArray(node.filters) ? node.filters : [];
}

function tooLarge(reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError(
    'VALIDATION_ERROR',
    { field: 'filter', reason },
    { hint: 'Flatten the filter: one `in` replaces an `or` over values of the same field.' },
  );
}
