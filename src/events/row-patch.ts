/**
 * The change of a row, as events hold it: members set, members removed, and splices in the JSON text of long members.
 * Splices count in the raw JSON text, so that any value, not only a string, can be changed in small steps and exactly.
 */
import { type JsonText, joinMembers, jsonText, type Members, parseJson, splitMembers } from '../schema/json.js';
import { applySplices, type Splice, spliceBetween } from './splice.js';

/** The members of a patch body: `set`, `unset`, `splice`, `order`, each only where needed. */
export function diffRow(before: Members, after: Members): Members {
  const set: Members = new Map();
  const splice: Members = new Map();
  for (const [key, value] of after) {
    const old = before.get(key);
    if (old === value) continue;
    const splices = old === undefined ? null : spliceBetween(old, value);
    if (splices === null) set.set(key, value);
    else splice.set(key, jsonText(splices));
  }
  const unset = [...before.keys()].filter((key) => !after.has(key));
  const patch: Members = new Map();
  if (set.size > 0) patch.set('set', joinMembers(set));
  if (unset.length > 0) patch.set('unset', jsonText(unset));
  if (splice.size > 0) patch.set('splice', joinMembers(splice));
  if (!sameOrder(naturalOrder(before, unset, set), after)) patch.set('order', jsonText([...after.keys()]));
  return patch;
}

/** Applies a patch. Returns null when it does not fit the row, which means that it was made for another state. */
export function applyPatch(before: Members, patch: Members): Members | null {
  const after: Members = new Map(before);
  for (const key of stringList(patch.get('unset'))) {
    if (!after.delete(key)) return null;
  }
  for (const [key, splices] of memberList(patch.get('splice'))) {
    const old = after.get(key);
    const value = old === undefined ? null : applySplices(old, parseJson(splices) as unknown as readonly Splice[]);
    if (value === null) return null;
    after.set(key, value as JsonText);
  }
  for (const [key, value] of memberList(patch.get('set'))) after.set(key, value);
  const order = patch.get('order');
  return order === undefined ? after : reordered(after, stringList(order));
}

function naturalOrder(before: Members, unset: readonly string[], set: Members): string[] {
  const removed = new Set(unset);
  const kept = [...before.keys()].filter((key) => !removed.has(key));
  return [...kept, ...[...set.keys()].filter((key) => !before.has(key))];
}

function sameOrder(keys: readonly string[], members: Members): boolean {
  let index = 0;
  for (const key of members.keys()) if (keys[index++] !== key) return false;
  return true;
}

function reordered(members: Members, order: readonly string[]): Members | null {
  if (order.length !== members.size) return null;
  const result: Members = new Map();
  for (const key of order) {
    const value = members.get(key);
    if (value === undefined) return null;
    result.set(key, value);
  }
  return result;
}

function stringList(text: JsonText | undefined): readonly string[] {
  return text === undefined ? [] : (parseJson(text) as readonly string[]);
}

function memberList(text: JsonText | undefined): Members {
  return text === undefined ? new Map() : splitMembers(text);
}
