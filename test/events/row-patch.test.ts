import { describe, expect, test } from 'vitest';
import { applyPatch, diffRow } from '../../src/events/row-patch.js';
import { type JsonText, joinMembers, splitMembers } from '../../src/schema/json.js';

const members = (text: string) => splitMembers(text as JsonText);
const patchText = (before: string, after: string) => joinMembers(diffRow(members(before), members(after)));

describe('a patch made for another row', () => {
  test.each([
    ['removes what is not there', '{"unset":["x"]}'],
    ['splices what is not there', '{"splice":{"x":[[0,1,"y"]]}}'],
    ['splices beyond the end', '{"splice":{"a":[[5,1,"y"]]}}'],
    ['orders other members', '{"order":["b"]}'],
    ['orders more members', '{"order":["a","b"]}'],
  ])('that %s is refused', (_name, patch) => {
    expect(applyPatch(members('{"a":1}'), members(patch))).toBeNull();
  });
});

describe('a patch holds what changed', () => {
  test.each([
    ['nothing', '{"a":1}', '{"a":1}', '{}'],
    ['a value', '{"a":1,"b":2}', '{"a":1,"b":3}', '{"set":{"b":3}}'],
    ['a new member', '{"a":1}', '{"a":1,"b":2}', '{"set":{"b":2}}'],
    ['a removal', '{"a":1,"b":2}', '{"b":2}', '{"unset":["a"]}'],
    ['an order', '{"a":1,"b":2}', '{"b":2,"a":1}', '{"order":["b","a"]}'],
    ['the digits of a number', '{"a":1}', '{"a":1.0}', '{"set":{"a":1.0}}'],
    ['a big integer', '{"a":1}', '{"a":12345678901234567890}', '{"set":{"a":12345678901234567890}}'],
    ['a strange key', '{}', '{"__proto__":{"x":1}}', '{"set":{"__proto__":{"x":1}}}'],
  ])('%s', (_name, before, after, patch) => {
    expect(patchText(before, after)).toBe(patch);
    expect(joinMembers(applyPatch(members(before), members(patch)) ?? new Map())).toBe(after);
  });
});
