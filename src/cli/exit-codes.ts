/**
 * What the process ends with. Scripts may rely on it:
 *   0 done, nothing found · 1 differences or findings · 2 usage · 3 table or configuration · 4 storage · 5 busy · 130 interrupted
 */
import { type ErrorCode, isStoreError } from '../errors.js';

export const exitCodes = { ok: 0, found: 1, usage: 2, table: 3, storage: 4, busy: 5, interrupted: 130 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const byError: Partial<Record<ErrorCode, ExitCode>> = {
  VALIDATION_ERROR: exitCodes.usage,
  NOT_FOUND: exitCodes.usage,
  AMBIGUOUS_ID: exitCodes.usage,
  TABLE_NOT_FOUND: exitCodes.table,
  TABLE_REQUIRED: exitCodes.table,
  SCHEMA_ERROR: exitCodes.table,
  CONFIG_ERROR: exitCodes.table,
  BUSY: exitCodes.busy,
};

/** The exit code of a failure; what is not known to be anything else is the storage's. */
export function exitCodeOf(error: unknown): ExitCode {
  return (isStoreError(error) ? byError[error.code] : undefined) ?? exitCodes.storage;
}
