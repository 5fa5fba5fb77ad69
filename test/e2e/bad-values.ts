/** Good arguments for every tool, and what may stand in the place of each of them. */

export type Args = Record<string, unknown>;

export const hugeText = 'x'.repeat(5 * 1024 * 1024);

/** Names that mean something to a shell, a file system, SQL, JavaScript or this program. */
export const oddNames: readonly string[] = [
  '',
  ' ',
  ' issues ',
  "'",
  '"',
  '"; DROP TABLE rows; --',
  'a\u0000b',
  '\n',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '表\u{1f600}',
  '\ud800',
  '\uffff0\uffff',
  '{{ 1 }}',
  '../../secret',
  '..',
  '.',
  '_global',
  'x'.repeat(10_000),
];

const oddNumbers: readonly unknown[] = [-1, 0, 1.5, -0.5, 2 ** 53, 2 ** 32, 1e308];

/** `depth` containers around a value. */
export function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'leaf';
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

const shapes: readonly unknown[] = [
  null,
  true,
  false,
  [],
  [null],
  [[]],
  {},
  { a: null },
  JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
  Array.from({ length: 10_000 }, (_, index) => index),
  Array.from({ length: 10_000 }, (_, index) => ({ op: 'nothing', field: `f${index}` })),
  nested(1_000, (inner) => [inner]),
  nested(1_000, (inner) => ({ a: inner })),
  nested(1_000, (inner) => ({ type: 'and', filters: [inner] })),
];

/** What every argument of every tool is tried with. */
export const badValues: readonly unknown[] = [...shapes, ...oddNumbers, ...oddNames];

/** Filters, selectors, sort keys and the like that are wrong further in. */
const eq = (field: unknown, value: unknown = 'a') => ({ type: 'eq', field, value });
const oddFilters: readonly unknown[] = [
  ...oddNames.map((name) => eq(name)),
  ...oddNames.map((name) => eq('title', name)),
  ...oddNames.map((pattern) => ({ type: 'like', field: 'title', pattern })),
  ...shapes.map((shape) => eq('title', shape)),
  ...oddNumbers.map((number) => eq('points', number)),
  { type: 'in', field: 'title', values: Array.from({ length: 10_000 }, (_, index) => `v${index}`) },
  { type: 'or', filters: Array.from({ length: 10_000 }, () => eq('title')) },
  { type: 'like', field: 'title', pattern: '%'.repeat(10_000) },
  { type: 'like', field: 'title', pattern: '%a'.repeat(2_000) },
  { type: 'regex', field: 'title', pattern: '(a+)+$' },
];
const oddFields = [
  ...oddNames.map((name) => ({ mode: 'list', fields: [name] })),
  ...shapes.map((fields) => ({ mode: 'list', fields })),
];
const oddOrders = [
  ...oddNames.map((field) => [{ field }]),
  ...oddNames.map((direction) => [{ field: 'title', direction }]),
];
const oddDefinitions = [
  ...oddNames.map((name) => [{ name, type: 'string' }]),
  ...oddNames.map((type) => [{ name: 'title', type }]),
  ...oddNames.map((description) => [{ name: 'title', type: 'string', description }]),
  ...shapes.map((name) => [{ name, type: 'string' }]),
  [
    { name: 'a', type: 'string' },
    { name: 'a', type: 'number' },
  ],
];
const oddOps = [
  ...oddNames.map((op) => [{ op }]),
  ...shapes.map((data) => [{ op: 'data_insert', data }]),
  ...oddNames.map((name) => [{ op: 'data_insert', data: { [name]: name } }]),
  ...oddNames.map((id) => [{ op: 'data_delete', id }]),
  ...oddNames.map((sql) => [{ op: 'query', sql }]),
  ...shapes.map((params) => [{ op: 'query', sql: 'SELECT ?', params }]),
  ...shapes.map((match) => [{ op: 'replace', match, items: [{ title: 'a' }] }]),
  [{ op: 'query', sql: 'SELECT * FROM sqlite_master' }],
  [{ op: 'query', sql: 'DELETE FROM events' }],
  [{ op: 'query', sql: "ATTACH '/tmp/bad-input-attached.db' AS x" }],
  [{ op: 'query', sql: "VACUUM INTO '/tmp/bad-input-vacuum.db'" }],
  [{ op: 'query', sql: 'PRAGMA writable_schema = 1' }],
  [{ op: 'query', sql: 'COMMIT' }],
  [{ op: 'query', sql: 'SELECT 1; SELECT 2' }],
  [{ op: 'query', sql: `SELECT ${'('.repeat(2_000)}1${')'.repeat(2_000)}` }],
  [{ op: 'query', sql: "UPDATE rows SET data = 'no json'" }],
  [{ op: 'query', sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n' }],
];
const oddSources = [
  ...oddNames.map((value) => ({ kind: 'single', value })),
  ...oddNames.map((value) => ({ kind: 'multi', value: [value] })),
  ...oddNames.map((value) => ({ kind: 'pattern', value })),
  ...shapes.map((value) => ({ kind: 'multi', value })),
];
const oddAggregators = [
  ...oddNames.map((field) => ({ kind: 'sum', field })),
  ...oddNames.map((by_field) => ({ kind: 'group_by', by_field, inner: { kind: 'count' } })),
  ...shapes.map((inner) => ({ kind: 'group_by', by_field: 'title', inner })),
  ...shapes.map((having) => ({ kind: 'group_by', by_field: 'title', inner: { kind: 'count' }, having })),
  nested(1_000, (inner) => ({ kind: 'group_by', by_field: 'title', inner })),
];
const oddData = [
  ...oddNames.map((name) => ({ title: name })),
  ...oddNames.map((name) => JSON.parse(`{"title":"t",${JSON.stringify(name)}:1}`)),
  ...shapes.map((title) => ({ title })),
  ...shapes.map((tags) => ({ title: 't', tags })),
  ...shapes.map((more) => ({ title: 't', more })),
];
const oddTemplates = [
  ...oddNames,
  '{{ v }}',
  '{% for i in range(100000000) %}{{ i }}{% endfor %}',
  '{{ v.__class__ }}',
  '{% include "/etc/passwd" %}',
  '{{ "x" * 1000000000 }}',
];

/** What only some arguments can be: their own shape with something wrong in it. */
export const oddShapes: Record<string, readonly unknown[]> = {
  filter: oddFilters,
  fields: oddFields,
  order_by: oddOrders,
  definition: oddDefinitions,
  ops: oddOps,
  sources: oddSources,
  aggregator: oddAggregators,
  data: oddData,
  filter_template: oddTemplates,
  params: [...oddNames.map((v) => ({ v })), ...shapes.map((v) => ({ v }))],
  selector: [
    ...oddNames.map((id) => ({ type: 'by_id', id })),
    ...oddFilters.map((filter) => ({ type: 'by_filter', filter })),
    ...oddNumbers.map((limit) => ({ type: 'by_filter', limit })),
  ],
  view_range: oddNumbers.map((end) => [1, end]),
  dump: [...oddNames.map((dir) => ({ dir })), ...oddNames.map((body_field) => ({ dir: 'copies', body_field }))],
};

/** A row's id, and a directory that files may be written to. */
export interface Known {
  readonly id: string;
  readonly out: string;
}

/** Arguments with which each tool succeeds, or fails only because a thing is there already. */
export function goodArguments({ id, out }: Known): Record<string, Args> {
  const table = 'issues';
  const field = 'title';
  const fields = [{ name: 'title', type: 'string' }];
  return {
    info: { table },
    create: { table, data: { title: 'new' } },
    get: { table, id },
    list: { table, limit: 3 },
    update: { table, id, data: { state: 'open' } },
    delete: { table, id: '00000000-0000-4000-8000-000000000000' },
    reload: {},
    schema_create: { table: 'spare', scope: 'user', fields, dry_run: true },
    schema_update: { table: 'spare', scope: 'user', fields, dry_run: true },
    schema_delete: { table: 'spare', scope: 'user', dry_run: true },
    schema_batch: { table, ops: [{ op: 'query', sql: 'SELECT count(*) FROM rows' }] },
    data_snapshot: { table, dry_run: true },
    row_materialize: { table, selector: { type: 'by_id', id }, fields: { mode: 'all' }, format: 'json', dest: out },
    alias_create: { table, name: 'odd', filter: eq('title') },
    alias_list: {},
    alias_run: { table, name: 'kept', params: { v: 'a' }, limit: 3 },
    alias_delete: { table, name: 'missing' },
    query_aggregate: { sources: { kind: 'single', value: table }, aggregator: { kind: 'count' } },
    row_restore: { table, id, version: 1 },
    content_view: { table, id, field },
    content_replace: { table, id, field, old_str: 'absent', new_str: 'x' },
    content_insert: { table, id, field, line: 99_999, content: 'x' },
  };
}
