/** The schema tools through a client of another make, over the pipes of a real process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
let directory: string;
let client: Client;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mini-app-'));
  client = new Client({ name: 'e2e', version: '1' });
  const env = {
    ...process.env,
    MINI_APP_USER_DIR: join(directory, 'user'),
    MINI_APP_PROJECT_DIR: join(directory, 'project'),
  };
  const given = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const args = ['--import', 'tsx', main, '--mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: given, stderr: 'ignore' }));
});

afterEach(async () => {
  await client.close();
  rmSync(directory, { recursive: true, force: true });
});

async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { content } = await client.callTool({ name, arguments: args });
  return JSON.parse((content as { text: string }[])[0]?.text ?? 'null');
}

it('a table is made, changed, filled and taken away', async () => {
  const { tools } = await client.listTools();
  const mine = tools.filter((tool) => tool.name.startsWith('schema_'));
  const sizes = mine.map(
    ({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }).length,
  );
  expect(mine).toHaveLength(4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1200);
  const notes = { table: 'notes', scope: 'project', fields: [{ name: 'title', type: 'string', required: true }] };
  expect(await call('schema_create', { ...notes, dry_run: true })).toMatchObject({ dry_run: true });
  expect(await call('schema_create', notes)).toMatchObject({ created: 'notes' });
  expect(await call('schema_create', notes)).toMatchObject({ kind: 'business', code: 'SCHEMA_EXISTS' });
  const fields = [...notes.fields, { name: 'ts', type: 'number' }];
  expect(await call('schema_update', { ...notes, fields })).toMatchObject({ fields_added: ['ts'] });
  const ops = [
    { op: 'data_insert', table: 'notes', data: { title: 'a' } },
    { op: 'query', sql: "UPDATE rows SET data = json_set(data, '$.ts', ?)", params: [5] },
  ];
  expect(await call('schema_batch', { ops })).toMatchObject({ committed: true, results: [{}, { rows_affected: 1 }] });
  expect(await call('list', { table: 'notes' })).toMatchObject([{ data: { title: 'a', ts: 5 }, version: 2 }]);
  const failing = [...ops, { op: 'data_insert', data: {} }];
  expect(await call('schema_batch', { ops: failing })).toMatchObject({
    code: 'BATCH_ABORTED',
    op_index: 2,
    cause_code: 'VALIDATION_ERROR',
  });
  expect(await call('schema_delete', { table: 'notes', scope: 'project' })).toMatchObject({ deleted: 'notes' });
  expect(await call('schema_update', { table: 'notes', scope: 'nowhere', fields })).toMatchObject({
    code: 'VALIDATION_ERROR',
    field: 'scope',
  });
});
