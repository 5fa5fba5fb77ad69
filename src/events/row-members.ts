/**
 * The members of a row's data, worked out once per state: a change looks at them for the edit, the check, the difference and
 * the projection, and of a large row each look costs milliseconds.
 */
import { asJsonObjectText, type Members, splitMembers } from '../schema/json.js';
import type { RowState } from './types.js';

/** Filled by those who change rows, not by a replay, which meets every state once. */
const checked = new WeakMap<RowState, Members | null>();

/** The members of a row in stored order, not to be changed; null when somebody stored what is no JSON object. */
export function checkedMembers(row: RowState): Members | null {
  const known = checked.get(row);
  if (known !== undefined) return known;
  const members = asJsonObjectText(row.data) === null ? null : splitMembers(row.data);
  checked.set(row, members);
  return members;
}

/** The members of a row that is known to hold an object; not to be changed. */
export function membersOfRow(row: RowState): Members {
  return checked.get(row) ?? splitMembers(row.data);
}
