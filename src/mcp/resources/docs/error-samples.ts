/** One sample of every error, so that the reference shows what callers see. A code without a sample does not compile. */
import { type ErrorCode, type ErrorFields, StoreError } from '../../../errors.js';

const id = '5f0c9e0a-2b6e-4c1e-9a55-0d6c1a2b3c4d';
const detail = '<detail>';

const samples: { readonly [C in ErrorCode]: ErrorFields[C] } = {
  VALIDATION_ERROR: { field: 'title', reason: 'is required' },
  NOT_FOUND: { id },
  AMBIGUOUS_ID: { id_prefix: '5f', candidates: [id, '5f7d1c52-8a3b-4f0e-b1de-2c9f7a6e5d10'] },
  VERSION_CONFLICT: { id, expected: 1, actual: 2, row: { id, data: {}, version: 2 } },
  IDEMPOTENCY_CONFLICT: { key: 'my-key' },
  BUSY: { retry_after_ms: 250 },
  APPROVAL_REQUIRED: { view: 'notes/view', digest: '<digest>' },
  TABLE_READ_ONLY: { table: 'issues', reason: '<reason>' },
  SCHEMA_ERROR: { detail },
  STORAGE_ERROR: { detail },
  IO_ERROR: { detail },
  CONFIG_ERROR: { detail },
  TABLE_NOT_FOUND: { table: 'isues' },
  TABLE_REQUIRED: { tables: ['issues', 'notes'] },
  SCHEMA_EXISTS: { table: 'issues' },
  BACKUP_ERROR: { detail },
  SNAPSHOT_ERROR: { detail },
  BATCH_ABORTED: { op_index: 2, reason: '<reason>' },
  MATERIALIZE_DEST_RELATIVE: { path: 'out.md' },
  MATERIALIZE_DEST_INVALID: { path: '/tmp/out.md', reason: '<reason>' },
  MATERIALIZE_IO_ERROR: { detail },
  MATERIALIZE_SHA256_ERROR: { detail },
  MATERIALIZE_ROW_NOT_FOUND: { id },
  MATERIALIZE_EMPTY_RESULT: {},
  MATERIALIZE_FORMAT_ERROR: { detail },
  MATERIALIZE_FIELD_UNKNOWN: { field: 'titel' },
  MATERIALIZE_INVALID_PARAM: { field: 'concat', reason: '<reason>' },
  ALIAS_NOT_FOUND: { name: 'open' },
  ALIAS_ALREADY_EXISTS: { name: 'open' },
  ALIAS_PARAMS_REQUIRED: { name: 'by_state' },
  ALIAS_TEMPLATE_ERROR: { detail },
  AGGREGATOR_ERROR: { detail },
  TYPE_ERROR: { field: 'points', actual_type: 'number' },
  STRING_NOT_FOUND: { field: 'body' },
  AMBIGUOUS: { field: 'body', matches: 2, candidates: [] },
  OUT_OF_RANGE: { line: 9, total_lines: 4 },
  UPLOAD_NOT_CONFIGURED: { detail },
  UPLOAD_FAILED: { detail },
  CORRUPT_LOG: { seq: 7, reason: '<reason>' },
  UNKNOWN_EVENT: { seq: 7, type: 'row.renamed', version: 1 },
  INTERNAL: { incident: '<incident>' },
};

export function sampleError<C extends ErrorCode>(code: C): StoreError<C> {
  return new StoreError(code, samples[code]);
}
