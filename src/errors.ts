/**
 * The closed set of errors. Every failure that leaves an op is a `StoreError` with one of these codes; the message is a
 * template over its fields, the hint says what the caller does next. Nothing here ever holds a stack, an SQL statement or
 * a path outside the data directories.
 */

/** The fields each code carries, in the order in which they are shown. */
export interface ErrorFields {
  VALIDATION_ERROR: { field: string; reason: string };
  NOT_FOUND: { id: string };
  AMBIGUOUS_ID: { id_prefix: string; candidates: readonly string[] };
  VERSION_CONFLICT: { id: string; expected: number; actual: number; row: unknown };
  IDEMPOTENCY_CONFLICT: { key: string };
  BUSY: { retry_after_ms: number };
  APPROVAL_REQUIRED: { view: string; digest: string };
  TABLE_READ_ONLY: { table: string; reason: string };
  SCHEMA_ERROR: { detail: string; file?: string; line?: number; field?: string };
  STORAGE_ERROR: { detail: string };
  IO_ERROR: { detail: string };
  CONFIG_ERROR: { detail: string; variable?: string };
  TABLE_NOT_FOUND: { table: string };
  TABLE_REQUIRED: { tables: readonly string[] };
  SCHEMA_EXISTS: { table: string };
  BACKUP_ERROR: { detail: string };
  SNAPSHOT_ERROR: {
    detail: string;
    failed?: readonly { table: string; error: string }[];
    snapshotted?: readonly string[];
  };
  BATCH_ABORTED: {
    op_index: number;
    reason: string;
    cause_code?: string;
    /** Code and fields of the op's own error, so that its candidates or its current row are not lost. */
    cause?: Readonly<Record<string, unknown>>;
  };
  MATERIALIZE_DEST_RELATIVE: { path: string };
  MATERIALIZE_DEST_INVALID: { path: string; reason: string };
  MATERIALIZE_IO_ERROR: { detail: string };
  MATERIALIZE_SHA256_ERROR: { detail: string };
  MATERIALIZE_ROW_NOT_FOUND: { id: string };
  MATERIALIZE_EMPTY_RESULT: Record<never, never>;
  MATERIALIZE_FORMAT_ERROR: { detail: string };
  MATERIALIZE_FIELD_UNKNOWN: { field: string };
  MATERIALIZE_INVALID_PARAM: { field: string; reason: string };
  ALIAS_NOT_FOUND: { name: string };
  ALIAS_ALREADY_EXISTS: { name: string };
  ALIAS_PARAMS_REQUIRED: { name: string };
  ALIAS_TEMPLATE_ERROR: { detail: string };
  AGGREGATOR_ERROR: { detail: string };
  TYPE_ERROR: { field: string; actual_type: string };
  STRING_NOT_FOUND: { field: string };
  AMBIGUOUS: { field: string; matches: number; candidates: readonly unknown[] };
  OUT_OF_RANGE: { line: number; total_lines: number };
  UPLOAD_NOT_CONFIGURED: { detail: string };
  UPLOAD_FAILED: { detail: string };
  CORRUPT_LOG: { seq: number; reason: string };
  UNKNOWN_EVENT: { seq: number; type: string; version: number };
  INTERNAL: { incident: string };
}

export type ErrorCode = keyof ErrorFields;

/** Who can act on an error: the caller with better arguments, the caller otherwise, or only the operator. */
export type ErrorKind = 'input' | 'business' | 'system';

interface Definition<F> {
  message: (fields: F) => string;
  hint: string;
  kind?: ErrorKind;
  retryable?: boolean;
}

const definitions: { [C in ErrorCode]: Definition<ErrorFields[C]> } = {
  VALIDATION_ERROR: {
    message: (f) => `validation error on field '${f.field}': ${f.reason}`,
    hint: 'Correct the named field. Call info to see the fields and types of the table.',
  },
  NOT_FOUND: {
    message: (f) => `row not found: ${f.id}`,
    hint: 'Call list to find the id. A deleted row comes back with row_restore.',
  },
  AMBIGUOUS_ID: {
    message: (f) => `ambiguous id prefix '${f.id_prefix}': ${f.candidates.length} candidates`,
    hint: 'Repeat the call with one of the candidates as id.',
  },
  VERSION_CONFLICT: {
    message: (f) => `version conflict on row ${f.id}: expected ${f.expected}, actual ${f.actual}`,
    hint: 'The row changed since you read it. Look at the current row, then repeat with its version as expected_version.',
    retryable: true,
  },
  IDEMPOTENCY_CONFLICT: {
    message: (f) => `idempotency key '${f.key}' was used before with other arguments`,
    hint: 'Use a new key for a new change, or the first arguments to get the first result.',
  },
  BUSY: {
    message: (f) => `the table is busy; try again in ${f.retry_after_ms} ms`,
    hint: 'Nothing was changed. Repeat the same call after retry_after_ms.',
    retryable: true,
  },
  APPROVAL_REQUIRED: {
    message: (f) => `view '${f.view}' awaits approval`,
    hint: 'An operator has to approve the view with mini-app-mcp approvals, out of reach of the caller.',
  },
  TABLE_READ_ONLY: {
    message: (f) => `table '${f.table}' is read-only: ${f.reason}`,
    hint: 'Reading works. An operator can look closer with: mini-app-mcp doctor',
  },
  SCHEMA_ERROR: {
    message: (f) => `schema parse error: ${f.detail}`,
    hint: 'Correct schema.yaml at the place named, then call reload.',
  },
  STORAGE_ERROR: {
    message: (f) => `storage error: ${f.detail}`,
    hint: 'Nothing was changed. An operator can look closer with: mini-app-mcp doctor',
  },
  IO_ERROR: {
    message: (f) => `io error: ${f.detail}`,
    hint: 'Check that the file or directory exists and may be written, then repeat the call.',
  },
  CONFIG_ERROR: {
    message: (f) => `config error: ${f.detail}`,
    hint: 'Correct the environment or .mini-app-mcp.env, then start again.',
  },
  TABLE_NOT_FOUND: {
    message: (f) => `table not found: ${f.table}`,
    hint: 'Call reload to scan the directories again; its answer and the error of a call without table name the tables.',
  },
  TABLE_REQUIRED: {
    message: () => 'table argument is required in multi-table mode',
    hint: 'Repeat the call with table set to one of the tables listed.',
  },
  SCHEMA_EXISTS: {
    message: (f) => `schema already exists: ${f.table}`,
    hint: 'Use schema_update to change it, or another name.',
  },
  BACKUP_ERROR: {
    message: (f) => `backup error: ${f.detail}`,
    hint: 'Check the _backup directory; nothing was changed.',
  },
  SNAPSHOT_ERROR: {
    message: (f) => `snapshot error: ${f.detail}`,
    hint: 'Check the _snapshots directory and the free space.',
  },
  BATCH_ABORTED: {
    message: (f) => `batch aborted at op #${f.op_index}: ${f.reason}`,
    hint: 'No op of the batch took effect. Correct the op named and send the whole batch again.',
  },
  MATERIALIZE_DEST_RELATIVE: {
    message: (f) => `materialize dest must be absolute: ${f.path}`,
    hint: 'Give dest as an absolute path.',
  },
  MATERIALIZE_DEST_INVALID: {
    message: (f) => `materialize dest invalid '${f.path}': ${f.reason}`,
    hint: 'Choose another dest or write_mode overwrite.',
  },
  MATERIALIZE_IO_ERROR: {
    message: (f) => `materialize io error: ${f.detail}`,
    hint: 'Check that dest may be written.',
  },
  MATERIALIZE_SHA256_ERROR: { message: (f) => `materialize sha256 error: ${f.detail}`, hint: 'Repeat the call.' },
  MATERIALIZE_ROW_NOT_FOUND: {
    message: (f) => `materialize row not found: ${f.id}`,
    hint: 'Call list to find the id.',
  },
  MATERIALIZE_EMPTY_RESULT: {
    message: () => 'materialize filter matched zero rows',
    hint: 'Try the filter with list first.',
  },
  MATERIALIZE_FORMAT_ERROR: { message: (f) => `materialize format error: ${f.detail}`, hint: 'Choose another format.' },
  MATERIALIZE_FIELD_UNKNOWN: {
    message: (f) => `materialize unknown field: ${f.field}`,
    hint: 'Call info to see the fields of the table.',
  },
  MATERIALIZE_INVALID_PARAM: {
    message: (f) => `materialize invalid param '${f.field}': ${f.reason}`,
    hint: 'Correct the named parameter.',
  },
  ALIAS_NOT_FOUND: { message: (f) => `alias not found: ${f.name}`, hint: 'Call alias_list to see the aliases.' },
  ALIAS_ALREADY_EXISTS: {
    message: (f) => `alias already exists: ${f.name}`,
    hint: 'Choose another name, or delete the alias first.',
  },
  ALIAS_PARAMS_REQUIRED: {
    message: (f) => `alias '${f.name}' requires params but none were provided`,
    hint: 'Call alias_list to see params_schema, then pass params.',
  },
  ALIAS_TEMPLATE_ERROR: {
    message: (f) => `alias template render error: ${f.detail}`,
    hint: 'Check the template and that every variable is in params.',
  },
  AGGREGATOR_ERROR: { message: (f) => `aggregator error: ${f.detail}`, hint: 'Correct sources or aggregator.' },
  TYPE_ERROR: {
    message: (f) => `field '${f.field}' is not a string field (type: ${f.actual_type})`,
    hint: 'The content tools edit string fields only; use update for others.',
  },
  STRING_NOT_FOUND: {
    message: (f) => `old_str not found in field '${f.field}'`,
    hint: 'Read the text with content_view and copy old_str from it exactly.',
  },
  AMBIGUOUS: {
    message: (f) => `ambiguous match: ${f.matches} occurrences of old_str in field '${f.field}'`,
    hint: 'Pass view_range=[start,end] to narrow the search, or replace_all=true.',
  },
  OUT_OF_RANGE: {
    message: (f) => `line ${f.line} is out of range (field has ${f.total_lines} lines)`,
    hint: 'Read the line numbers with content_view.',
  },
  UPLOAD_NOT_CONFIGURED: {
    message: (f) => `upload not configured: ${f.detail}`,
    hint: 'Set the MINI_APP_S3_ variables, or call without upload.',
  },
  UPLOAD_FAILED: {
    message: (f) => `upload failed: ${f.detail}`,
    hint: 'The local snapshot stands; try the upload again.',
  },
  CORRUPT_LOG: {
    message: (f) => `the event log is damaged at sequence ${f.seq}: ${f.reason}`,
    hint: 'Stop writing and restore the table from a snapshot. mini-app-mcp verify names every difference.',
    kind: 'system',
  },
  UNKNOWN_EVENT: {
    message: (f) => `event ${f.seq} has type '${f.type}' version ${f.version}, which this version does not know`,
    hint: 'A newer version wrote this log. Use that version to rebuild; reading and verifying the chain work.',
  },
  INTERNAL: {
    message: (f) => `internal error (incident ${f.incident})`,
    hint: 'Nothing of the cause is shown here; the log on stderr has it under the incident id.',
    kind: 'system',
  },
};

/** A failure with a code of the closed set. `fields` are the extras of rulings 1.2. */
export class StoreError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'StoreError';
  readonly hint: string;
  readonly kind: ErrorKind;
  readonly retryable: boolean;

  constructor(
    readonly code: C,
    readonly fields: ErrorFields[C],
    options: { hint?: string; kind?: ErrorKind; cause?: unknown } = {},
  ) {
    const definition: Definition<ErrorFields[C]> = definitions[code];
    super(definition.message(fields), options.cause === undefined ? {} : { cause: options.cause });
    this.hint = options.hint ?? definition.hint;
    this.kind = options.kind ?? definition.kind ?? 'business';
    this.retryable = definition.retryable ?? false;
  }

  /** The JSON object of rulings 1.2: `{kind, code, message, …fields, hint}`. */
  toJSON(): Record<string, unknown> {
    const fields = Object.entries(this.fields).map(([key, value]) => [key, shortened(value)]);
    const { kind, code, hint } = this;
    return { kind, code, message: shortened(this.message), ...Object.fromEntries(fields), hint };
  }
}

/** In UTF-16 units. Texts of an answer repeat what the caller sent, who may have sent megabytes. */
const longestText = 2_000;

function shortened(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= longestText) return value;
  return `${value.slice(0, longestText).toWellFormed()}… (${value.length} characters)`;
}

/** Every code there is, sorted: the source of the error tables in the documentation. */
export const errorCodes: readonly ErrorCode[] = (Object.keys(definitions) as ErrorCode[]).sort();

/** The default hint of a code. */
export function hintOf(code: ErrorCode): string {
  return definitions[code].hint;
}

export function isStoreError(error: unknown): error is StoreError {
  return error instanceof StoreError;
}
