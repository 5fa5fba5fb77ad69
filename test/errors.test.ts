import { expect, it } from 'vitest';
import { StoreError } from '../src/errors.js';

it('an error shows no more of a text than a reader needs', () => {
  const error = new StoreError('TABLE_NOT_FOUND', { table: 'x'.repeat(5_000_000) });
  const shown = error.toJSON();
  expect(JSON.stringify(shown).length).toBeLessThan(5_000);
  expect(shown.table).toMatch(/^x{2000}… \(5000000 characters\)$/);
  expect(shown.message).toMatch(/^table not found: x+… \(5000017 characters\)$/);
});

it('an error cuts no character in two', () => {
  const error = new StoreError('NOT_FOUND', { id: `${'x'.repeat(1_999)}\u{1f600}tail` });
  expect(String(error.toJSON().id).isWellFormed()).toBe(true);
});
