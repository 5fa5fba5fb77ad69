import { expect } from 'vitest';
import { type ErrorCode, StoreError } from '../../src/errors.js';

/** The error an action is refused with, after a check of its code. */
export function refusal(code: ErrorCode, action: () => unknown): StoreError & { fields: { field?: string } } {
  try {
    action();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    expect(error.code).toBe(code);
    return error;
  }
  throw new Error(`nothing was refused; expected ${code}`);
}

/** `field: reason` of the VALIDATION_ERROR an action is refused with. */
export function invalidity(action: () => unknown): string {
  const error = refusal('VALIDATION_ERROR', action);
  return error.message.replace(/^validation error on field '(.*?)': /s, '$1: ');
}
