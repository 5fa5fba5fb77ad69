/** The tools on text and on many rows, as a client of the built program sees them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import Sqlite from 'better-sqlite3';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { removeDir } from '../helpers/temp-dir.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = join(root, 'node_modules/.cache', `content-tools-${process.pid}`);
const table = join(directory, 'user', 'notes');
const schema = `table: notes
fields:
  - { name: title, type: string, required: true }
  - { name: body, type: string }
  - { name: n, type: number }
`;
let client: Client;

/** Bundled as it ships, workers included, in a place from where its packages are found. */
beforeAll(async () => {
  const dist = join(directory, 'dist');
  const entries = {
    main: join(root, 'src/main.ts'),
    'workers/aggregate-worker': join(root, 'src/workers/aggregate-worker.ts'),
  };
  await build(bundleOptions(entries, dist));
  mkdirSync(table, { recursive: true });
  writeFileSync(join(table, 'schema.yaml'), schema);
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const env = {
    PATH: process.env.PATH ?? '',
    MINI_APP_USER_DIR: dirname(table),
    MINI_APP_PROJECT_DIR: join(directory, 'none'),
  };
  client = new Client({ name: 'test-client', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(dist, 'main.js'), '--mcp'],
      cwd: directory,
      env,
    }),
  );
  await client.listTools();
});

afterAll(async () => {
  await client.close();
  removeDir(directory);
});

/** The parsed text of a call. A success is validated against the tool's output schema by the client. */
async function call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args });
  const [block] = Array.isArray(result.content) ? result.content : [];
  const body: Record<string, unknown> = JSON.parse(block.text);
  if (result.isError === true) expect(body.kind).toMatch(/^(input|business)$/);
  else expect(result.structuredContent).toEqual({ value: body });
  return body;
}

async function create(data: Record<string, unknown>): Promise<string> {
  return String((await call('create', { table: 'notes', data })).id);
}

test('a text field is viewed, edited and undone', async () => {
  const id = await create({ title: 'doc', body: 'one\ntwo\nthree' });
  const at = { table: 'notes', id: id.slice(0, 13), field: 'body' };
  expect(await call('content_view', { ...at, view_range: '[2,3]' })).toEqual({
    content: '     2  two\n     3  three\n',
  });
  expect(await call('content_replace', { ...at, old_str: 'two', new_str: '2' })).toEqual({ matches: 1 });
  expect(await call('content_insert', { ...at, line: 4, content: 'four\nfive' })).toEqual({
    line: 4,
    inserted_lines: 2,
  });
  expect(await call('content_view', at)).toEqual({
    content: '     1  one\n     2  2\n     3  three\n     4  four\n     5  five\n',
  });
  expect(await call('content_replace', { ...at, old_str: 'f', new_str: '' })).toMatchObject({
    code: 'AMBIGUOUS',
    matches: 2,
    candidates: [
      { line: 4, col: 1 },
      { line: 5, col: 1 },
    ],
    hint: expect.stringContaining('replace_all'),
  });
  expect(await call('content_insert', { ...at, line: 7, content: '' })).toMatchObject({
    code: 'OUT_OF_RANGE',
    total_lines: 5,
  });
  expect(await call('content_view', { ...at, field: 'n' })).toMatchObject({
    code: 'TYPE_ERROR',
    actual_type: 'number',
  });
  expect(await call('content_view', { ...at, view_range: [1] })).toMatchObject({ kind: 'input', field: 'view_range' });
  expect(await call('row_restore', { table: 'notes', id, version: 1 })).toMatchObject({
    data: { body: 'one\ntwo\nthree' },
    version: 4,
  });
});

test('rows become files', async () => {
  const id = await create({ title: 'file', body: 'text' });
  const selector = { type: 'by_filter', filter: { type: 'eq', field: 'title', value: 'file' } };
  const args = { table: 'notes', selector, fields: { mode: 'all' }, format: 'markdown', dest: join(directory, 'out') };
  const result = await call('row_materialize', args);
  expect(result).toMatchObject({ count: 1, files: [{ row_id: id, path: join(directory, 'out', `${id}.md`) }] });
  expect(readFileSync(join(directory, 'out', `${id}.md`), 'utf8')).toBe(
    `# ${id}\n\n## title\n\nfile\n\n## body\n\ntext\n`,
  );
  expect(await call('row_materialize', { ...args, write_mode: 'error' })).toMatchObject({
    code: 'MATERIALIZE_DEST_INVALID',
  });
  expect(await call('row_materialize', { ...args, format: 'pdf' })).toMatchObject({ kind: 'input', field: 'format' });
});

test('rows are aggregated, many of them in another thread', async () => {
  const sources = { kind: 'single', value: 'notes' };
  for (const n of [1, 2]) await create({ title: 'sum', n });
  const filter = { type: 'eq', field: 'title', value: 'sum' };
  expect(await call('query_aggregate', { sources, filter, aggregator: { kind: 'sum', field: 'n' } })).toEqual({
    kind: 'value',
    value: 3,
  });
  const database = new Sqlite(join(table, 'notes.db'));
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
    INSERT INTO rows (id, data, created_at, updated_at) SELECT 'id' || i, '{"title":"many","n":1}', 1, 1 FROM n`);
  database.close();
  const aggregator = { kind: 'group_by', by_field: 'title', inner: { kind: 'max', field: 'n' } };
  const groups = await call('query_aggregate', { sources, aggregator });
  expect(groups).toMatchObject({
    kind: 'groups',
    value: expect.arrayContaining([{ key: 'many', count: 12_000, value: 1 }]),
  });
  expect(await call('query_aggregate', { sources: { kind: 'multi', value: [] }, aggregator })).toMatchObject({
    code: 'AGGREGATOR_ERROR',
  });
});
