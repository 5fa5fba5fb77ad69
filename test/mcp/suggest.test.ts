import { describe, expect, it } from 'vitest';
import { nearestName } from '../../src/mcp/suggest.js';

const names = ['table', 'id', 'fields', 'filter', 'order_by', 'expected_version', 'idempotency_key'];

describe('nearestName', () => {
  it.each([
    ['tabel', 'table'],
    ['Table', 'table'],
    ['orderBy', 'order_by'],
    ['order', 'order_by'],
    ['feilds', 'fields'],
    ['filters', 'filter'],
    ['idempotencyKey', 'idempotency_key'],
    ['row_id', 'id'],
  ])('takes %s for %s', (wrong, right) => {
    expect(nearestName(wrong, names)).toBe(right);
  });

  it.each(['', 'x', 'zzzzzz', 'z'.repeat(10_000)])('has no guess for what is like nothing', (wrong) => {
    expect(nearestName(wrong, names)).toBeUndefined();
  });
});
