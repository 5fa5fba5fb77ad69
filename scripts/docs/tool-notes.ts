/** What the tools page says beside what the tools say of themselves: when each error comes, and one example each. */
import type { ErrorCode } from '../../src/errors.js';

export interface ToolNotes {
  /** Beside the errors that every tool with a table has. */
  readonly errors: readonly ErrorCode[];
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The result of the example, shortened where it is long. */
  readonly result: unknown;
  readonly notes: readonly string[];
}

const id = '3f2a9c1e-5b7d-4e8f-9a01-2c3d4e5f6a7b';
const row = {
  id,
  data: { title: 'Login fails', state: 'open' },
  created_at: 1_790_000_000,
  updated_at: 1_790_000_000,
  version: 1,
};
const writes: readonly ErrorCode[] = ['BUSY', 'IDEMPOTENCY_CONFLICT', 'TABLE_READ_ONLY', 'VALIDATION_ERROR'];
const rowWrites: readonly ErrorCode[] = ['AMBIGUOUS_ID', 'NOT_FOUND', 'VERSION_CONFLICT', ...writes];
const rowReads: readonly ErrorCode[] = ['AMBIGUOUS_ID', 'NOT_FOUND', 'VALIDATION_ERROR'];

/** By tool name. */
export const toolNotes: Readonly<Record<string, ToolNotes>> = {
  info: {
    errors: [],
    arguments: { table: 'issues' },
    result: {
      table: 'issues',
      title: 'Issues',
      description: null,
      fields: [{ name: 'title', type: 'string', required: true, description: null }],
      dump: null,
      history: 'full',
      name: 'issues',
      scope: 'project',
      rows: 1,
      example: { title: 'text' },
      status: { head: 1, journal_mode: 'wal', foreign_writes: 0, followers: [] },
    },
    notes: [
      '`table` in the result is the value in schema.yaml, `name` is what the `table` argument takes (the directory name).',
      '`status.followers` shows how far the Markdown and snapshot followers are: `lag` in events, `state`, `last_error`.',
      '`failed` is there only when a table could not be mounted, and says why; the table `*` stands for a scope that cannot be read.',
    ],
  },
  create: {
    errors: writes,
    arguments: { table: 'issues', data: { title: 'Login fails', state: 'open' } },
    result: row,
    notes: ['Keys that the schema does not declare are kept. The order of the keys is kept.'],
  },
  get: {
    errors: rowReads,
    arguments: { table: 'issues', id: '3f2a', fields: { mode: 'list', fields: ['title'] } },
    result: { ...row, data: { title: 'Login fails' } },
    notes: ['A field that the row does not have comes back as null when it is asked for by name.'],
  },
  list: {
    errors: ['VALIDATION_ERROR'],
    arguments: { table: 'issues', filter: { type: 'eq', field: 'state', value: 'open' }, limit: 20 },
    result: [row],
    notes: [
      'Newest first: `created_at` descending, and the newest insert first within one second. Ties of `order_by` end in that order.',
      'A limit over 1000 means 1000. Filters and orders: [filters.md](filters.md).',
    ],
  },
  update: {
    errors: rowWrites,
    arguments: { table: 'issues', id: '3f2a', data: { state: 'done' }, expected_version: 1 },
    result: { ...row, data: { ...row.data, state: 'done' }, updated_at: 1_790_000_060, version: 2 },
    notes: [
      'Merge is RFC 7396, one level deep: a nested object replaces the stored one whole.',
      'null for a required field is VALIDATION_ERROR, and so is a merged row that does not fit the schema.',
    ],
  },
  delete: {
    errors: rowWrites,
    arguments: { table: 'issues', id: '3f2a' },
    result: { deleted: id },
    notes: ['The Markdown file of the row stays, as an archive.'],
  },
  reload: {
    errors: ['CONFIG_ERROR'],
    arguments: {},
    result: { mounted: 2, added: ['notes'], removed: [] },
    notes: [
      'Files are not watched. Rows are not changed to fit a changed schema. A broken table is listed under `failed`.',
    ],
  },
  row_restore: {
    errors: [...rowWrites, 'SCHEMA_ERROR'],
    arguments: { table: 'issues', id: '3f2a', version: 1 },
    result: { ...row, version: 3 },
    notes: [
      'A deleted row comes back under its id with its original `created_at`.',
      'The state restored must fit the schema of today, else VALIDATION_ERROR.',
    ],
  },
  row_materialize: {
    errors: [
      'AMBIGUOUS_ID',
      'MATERIALIZE_DEST_INVALID',
      'MATERIALIZE_DEST_RELATIVE',
      'MATERIALIZE_EMPTY_RESULT',
      'MATERIALIZE_FIELD_UNKNOWN',
      'MATERIALIZE_FORMAT_ERROR',
      'MATERIALIZE_INVALID_PARAM',
      'MATERIALIZE_IO_ERROR',
      'MATERIALIZE_ROW_NOT_FOUND',
      'MATERIALIZE_SHA256_ERROR',
      'VALIDATION_ERROR',
    ],
    arguments: {
      table: 'issues',
      selector: { type: 'by_id', id: '3f2a' },
      fields: { mode: 'list', fields: ['title', 'state'] },
      format: 'markdown',
      dest: '/tmp/export',
    },
    result: { count: 1, files: [{ path: `/tmp/export/${id}.md`, bytes: 83, sha256: '…', row_id: id }] },
    notes: [
      '`dest` is any absolute path that the server may write: it is not confined to the data directories.',
      'Without `concat`, `dest` is a directory with one file per row; with it, `dest` is the file.',
    ],
  },
  content_view: {
    errors: [...rowReads, 'TYPE_ERROR'],
    arguments: { table: 'issues', id: '3f2a', field: 'body', view_range: [1, 2] },
    result: { content: '     1  first line\n     2  second line\n' },
    notes: ['A range past the end shows nothing. A field that the row does not have counts as one empty line.'],
  },
  content_replace: {
    errors: [...rowWrites, 'AMBIGUOUS', 'OUT_OF_RANGE', 'STRING_NOT_FOUND', 'TYPE_ERROR'],
    arguments: { table: 'issues', id: '3f2a', field: 'body', old_str: 'foo', new_str: 'bar' },
    result: { matches: 1 },
    notes: ['Only the difference goes into the log, however long the field is.'],
  },
  content_insert: {
    errors: [...rowWrites, 'OUT_OF_RANGE', 'TYPE_ERROR'],
    arguments: { table: 'issues', id: '3f2a', field: 'body', line: 0, content: 'A line before all others' },
    result: { line: 0, inserted_lines: 1 },
    notes: ['0 inserts before the first line, N after line N; the number of lines plus one appends.'],
  },
  query_aggregate: {
    errors: ['AGGREGATOR_ERROR', 'VALIDATION_ERROR'],
    arguments: {
      sources: { kind: 'single', value: 'issues' },
      aggregator: { kind: 'group_by', by_field: 'state', inner: { kind: 'count' } },
    },
    result: { kind: 'groups', value: [{ key: 'open', count: 12, value: 12 }] },
    notes: [
      'At most 10 tables in one call. Rows are put together with UNION ALL, never joined.',
      'Fields and filter are checked against the schema of the first table.',
    ],
  },
  alias_create: {
    errors: ['AGGREGATOR_ERROR', 'ALIAS_ALREADY_EXISTS', 'ALIAS_TEMPLATE_ERROR', 'BUSY', 'VALIDATION_ERROR'],
    arguments: {
      name: 'by_state',
      table: 'issues',
      filter_template: '{"type": "eq", "field": "state", "value": "{{ state }}"}',
      params_schema: ['state'],
    },
    result: { created: 'by_state' },
    notes: [
      'Exactly one of `filter` and `filter_template`; exactly one of `table` and `sources`.',
      'Without `scope`: the project, where its directory exists, else the user. `scope: "project"` makes that directory when it is missing, which is then where aliases without `scope` go.',
    ],
  },
  alias_list: {
    errors: [],
    arguments: { table: 'issues' },
    result: [{ name: 'by_state', filter: null, default_limit: 50, params_schema: ['state'], scope: 'project' }],
    notes: ['Without `table`, all aliases. Where both scopes have a name, the project’s is shown.'],
  },
  alias_run: {
    errors: [
      'AGGREGATOR_ERROR',
      'ALIAS_NOT_FOUND',
      'ALIAS_PARAMS_REQUIRED',
      'ALIAS_TEMPLATE_ERROR',
      'BUSY',
      'VALIDATION_ERROR',
    ],
    arguments: { name: 'by_state', params: { state: 'open' }, limit: 10 },
    result: [row],
    notes: [
      'The result is that of `list`, or that of `query_aggregate` for an alias with an aggregator.',
      'An alias with a fixed filter refuses `params`.',
    ],
  },
  alias_delete: {
    errors: ['ALIAS_NOT_FOUND', 'BUSY'],
    arguments: { name: 'by_state' },
    result: { deleted: 'by_state' },
    notes: ['The project scope is looked at first, then the user scope.'],
  },
  schema_create: {
    errors: ['IO_ERROR', 'SCHEMA_EXISTS', 'VALIDATION_ERROR'],
    arguments: { scope: 'project', table: 'notes', fields: [{ name: 'title', type: 'string', required: true }] },
    result: { created: 'notes', schema_path: '.mini-app/notes/schema.yaml', scope: 'project' },
    notes: ['A database that is there already under the name is taken over, with its rows.'],
  },
  schema_update: {
    errors: ['BACKUP_ERROR', 'IO_ERROR', 'TABLE_NOT_FOUND', 'VALIDATION_ERROR'],
    arguments: { scope: 'project', table: 'notes', fields: [{ name: 'title', type: 'string', required: true }] },
    result: {
      updated: 'notes',
      schema_path: '.mini-app/notes/schema.yaml',
      scope: 'project',
      fields_added: [],
      fields_removed: ['body'],
      fields_type_changed: [],
    },
    notes: ['`fields` is the whole new list. Rows stay as they are; they have to fit when they are next written.'],
  },
  schema_delete: {
    errors: ['BACKUP_ERROR', 'IO_ERROR', 'TABLE_NOT_FOUND', 'VALIDATION_ERROR'],
    arguments: { scope: 'project', table: 'notes' },
    result: {
      deleted: 'notes',
      schema_path_removed: '.mini-app/notes/schema.yaml',
      db_file_retained: '.mini-app/notes/notes.db',
      scope: 'project',
    },
    notes: ['The database file stays: put the schema.yaml back from `_backup` and the table is there again.'],
  },
  schema_batch: {
    errors: ['BACKUP_ERROR', 'BATCH_ABORTED', 'BUSY', 'IDEMPOTENCY_CONFLICT', 'VALIDATION_ERROR'],
    arguments: {
      ops: [
        {
          op: 'schema_create',
          table: 'notes',
          scope: 'project',
          fields: [{ name: 'title', type: 'string', required: true }],
        },
        { op: 'data_insert', table: 'notes', data: { title: 'first note' } },
      ],
    },
    result: { committed: true, ops_executed: 2, yaml_writes: ['.mini-app/notes/schema.yaml'], results: ['…'] },
    notes: [
      'All ops are about one table. They take effect together or not at all, rows and schema.yaml alike.',
      'SQL of a `query` op may read and write `rows` and nothing else; what it changes becomes ordinary events.',
      'A statement of more than one pass over `rows` (joins, subqueries, recursive tables, functions like replace) is tried on a copy first: beyond 2 s, 512 MiB or 20,000 changed rows it is refused. Any answer holds 10,000 rows and 8 MiB at most.',
    ],
  },
  data_snapshot: {
    errors: ['SNAPSHOT_ERROR', 'UPLOAD_FAILED', 'UPLOAD_NOT_CONFIGURED'],
    arguments: { table: 'issues' },
    result: {
      snapshotted: [
        {
          table: 'issues',
          scope: 'project',
          snapshot_path: '.mini-app/_snapshots/issues.1790000000.db',
          unix_secs: 1_790_000_000,
        },
      ],
      purged: [],
    },
    notes: [
      'Without `table`, every mounted table. The table stays writable meanwhile.',
      'An upload that fails is listed under `upload_errors`; the local snapshot stands.',
    ],
  },
};
