/** What can be asked of `rows`. Reads only; `project.ts` is the one writer. */
import type { RowState } from '../../events/types.js';
import type { Filter } from '../../schema/filter.js';
import type { OrderBy } from '../../schema/order-by.js';

export interface ListQuery {
  /** At most this many rows, 0 to 1,000. */
  readonly limit: number;
  readonly offset: number;
  /** Validated against the table's schema. */
  readonly filter?: Filter | undefined;
  /** Validated and not empty; absent means newest first. */
  readonly orderBy?: OrderBy | undefined;
  /** Fields that may have an index (the schema's `indexes`); the answer is the same without one. */
  readonly indexed?: readonly string[] | undefined;
}

/** Members of `data` and the scalar that each must have; null means absent or null. */
export type Match = ReadonlyMap<string, string | number | boolean | null>;

export interface RowQueries {
  get(id: string): RowState | null;
  /** Ids that start with the prefix, letter case ignored, wildcards literal, ascending. */
  idsWithPrefix(prefix: string): string[];
  list(query: ListQuery): RowState[];
  /** Ids of the rows that fit, in the order in which they were made. */
  idsMatching(match: Match): string[];
  count(): number;
}
