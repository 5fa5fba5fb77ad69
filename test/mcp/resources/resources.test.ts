/** Resources over a connection, and the documentation against the definitions that it is made from. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorCodes } from '../../../src/errors.js';
import { Catalogue } from '../../../src/mcp/catalogue.js';
import { Services } from '../../../src/mcp/contract.js';
import { createLogger } from '../../../src/mcp/log.js';
import { exampleSchema, filterExamples } from '../../../src/mcp/resources/docs/filters-page.js';
import { orderByExamples } from '../../../src/mcp/resources/docs/order-by-page.js';
import { ResourceFeature } from '../../../src/mcp/resources/resource-feature.js';
import { type StdioSession, serveMcpOverStdio } from '../../../src/mcp/serve-stdio.js';
import { protocolOutput } from '../../../src/mcp/stdout-guard.js';
import { coreTools, coreView } from '../../../src/mcp/tools/index.js';
import { parseFilter } from '../../../src/schema/filter.js';
import { parseOrderBy } from '../../../src/schema/order-by.js';
import { loadConfig } from '../../../src/tables/config.js';
import { TableRegistry } from '../../../src/tables/registry.js';
import { connectClient, newStreams } from '../../helpers/line-client.js';
import { newDir, removeDir } from '../../helpers/temp-dir.js';

const yaml = `# kept as it is\r
table: bugs
title: Bugs
fields:
  - { name: title, type: string, required: true, description: Shown }
  - { name: __proto__, type: object }
`;

let directory: string;
let registry: TableRegistry;
let session: StdioSession | undefined;
let client: Client;

beforeEach(() => {
  directory = newDir();
  writeTable('issues');
  writeTable('größe x');
});

afterEach(async () => {
  await client?.close();
  await session?.closed;
  await registry.close();
  removeDir(directory);
});

function writeTable(name: string): void {
  mkdirSync(join(directory, 'user', name), { recursive: true });
  writeFileSync(join(directory, 'user', name, 'schema.yaml'), yaml);
}

async function start(environment: Record<string, string> = { MINI_APP_USER_DIR: join(directory, 'user') }) {
  const config = loadConfig({ MINI_APP_PROJECT_DIR: join(directory, 'project'), ...environment }, directory);
  registry = TableRegistry.mount({ config, session: 's', now: Date.now, log: () => undefined });
  const catalogue = new Catalogue(new Services(), createLogger({ write: () => undefined }));
  await catalogue.offer(coreView, coreTools, { text: 'bare', trusted: true });
  const streams = newStreams();
  session = serveMcpOverStdio({
    catalogue,
    instructions: 'Test.',
    input: streams.input,
    output: protocolOutput(streams.output),
    extensions: [new ResourceFeature({ registry, catalogue }).extension(true)],
  });
  client = await connectClient(streams);
}

const uris = async () => (await client.listResources()).resources.map((resource) => resource.uri);

async function read(uri: string) {
  const [item, ...others] = (await client.readResource({ uri })).contents;
  expect(others).toEqual([]);
  expect(item?.uri).toBe(uri);
  return { mimeType: item?.mimeType, text: item !== undefined && 'text' in item ? item.text : '' };
}

async function failure(uri: string): Promise<McpError> {
  const error: unknown = await client.readResource({ uri }).catch((reason: unknown) => reason);
  if (error instanceof McpError) return error;
  throw new Error(`${uri} was read`);
}

const docs = ['docs://quickstart', 'docs://tools', 'docs://errors', 'docs://filters', 'docs://order-by'];

describe('the list', () => {
  it('has three schemas of every table in multi-table mode, and five pages', async () => {
    await start();
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(11);
    expect(resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]).slice(0, 6)).toEqual([
      ['schema://yaml?table=gr%C3%B6%C3%9Fe%20x', 'Schema YAML (größe x)', 'application/yaml'],
      ['schema://json?table=gr%C3%B6%C3%9Fe%20x', 'Schema JSON (größe x)', 'application/json'],
      ['schema://json-schema?table=gr%C3%B6%C3%9Fe%20x', 'JSON Schema (größe x)', 'application/schema+json'],
      ['schema://yaml?table=issues', 'Schema YAML (issues)', 'application/yaml'],
      ['schema://json?table=issues', 'Schema JSON (issues)', 'application/json'],
      ['schema://json-schema?table=issues', 'JSON Schema (issues)', 'application/schema+json'],
    ]);
    expect((await uris()).slice(6)).toEqual(docs);
    for (const uri of await uris()) expect((await read(uri)).text).not.toBe('');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((template) => template.uriTemplate)).toEqual([
      'schema://yaml{?table}',
      'schema://json{?table}',
      'schema://json-schema{?table}',
    ]);
  });

  it('has eight entries in legacy mode, and is five pages without a table', async () => {
    const legacy = {
      MINI_APP_DB: join(directory, 'x.db'),
      MINI_APP_SCHEMA: join(directory, 'user/issues/schema.yaml'),
    };
    await start(legacy);
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.name).slice(0, 3)).toEqual([
      'Schema YAML',
      'Schema JSON',
      'JSON Schema',
    ]);
    expect(resources).toHaveLength(8);
    expect((await read('schema://yaml')).text).toBe(yaml);
    await client.close();
    await registry.close();
    await start({ MINI_APP_USER_DIR: join(directory, 'empty') });
    expect(await uris()).toEqual(docs);
  });
});

describe('a schema', () => {
  it('is read as it is on disk, as it is mounted, and as JSON Schema', async () => {
    await start();
    expect(await read('schema://yaml?other=1&table=größe x&table=y')).toEqual({
      mimeType: 'application/yaml',
      text: yaml,
    });
    const json = await read('schema://json?table=issues');
    expect(json.text).toBe(JSON.stringify(registry.resolve('issues').schema, null, 2));
    const { mimeType, text } = await read('schema://json-schema?table=issues');
    expect(mimeType).toBe('application/schema+json');
    expect(text).toContain('"__proto__": {');
    expect(JSON.parse(text)).toMatchObject({
      title: 'bugs',
      type: 'object',
      required: ['title'],
      additionalProperties: true,
    });
    writeFileSync(join(directory, 'user', 'issues', 'schema.yaml'), '# new');
    expect((await read('schema://yaml?table=issues')).text).toBe('# new');
  });

  it('that cannot be had is a protocol error with a code', async () => {
    await start();
    expect(await failure('schema://json')).toMatchObject({ code: -32603, data: { code: 'TABLE_REQUIRED' } });
    const unknown = await failure('schema://json?table=isues');
    expect(unknown).toMatchObject({ code: -32603, data: { code: 'TABLE_NOT_FOUND', table: 'isues' } });
    for (const uri of ['schema://xml', 'docs://readme', 'file:///etc/passwd', '']) {
      expect(await failure(uri)).toMatchObject({ code: -32002, data: { code: 'NOT_FOUND', uri } });
      expect((await failure(uri)).message).toContain(`unknown resource URI: ${uri}`);
    }
    rmSync(join(directory, 'user', 'issues', 'schema.yaml'));
    const gone = await failure('schema://yaml?table=issues');
    expect(gone.message).toContain('failed to read schema.yaml: ENOENT');
    expect(gone.message).not.toContain(directory);
    for (const failed of [gone, unknown, await failure('schema://json'), await failure('docs://readme')]) {
      expect(failed.data).toMatchObject({ hint: expect.stringMatching(/\w+\.$/) });
    }
  });
});

describe('the documentation', () => {
  it('tells where to begin', async () => {
    await start();
    const { mimeType, text } = await read('docs://quickstart?anything');
    expect(mimeType).toBe('text/markdown');
    expect(text).toMatch(/^# mini-app-mcp\n/);
    for (const part of ['Multi-table mode', 'Legacy single-table mode', 'TABLE_REQUIRED']) expect(text).toContain(part);
    for (const page of docs.slice(1)) expect(text).toContain(page);
  });

  it('has every tool that is published, with every argument', async () => {
    await start();
    const { text } = await read('docs://tools');
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(coreTools.length);
    for (const tool of tools) {
      const section = text.split(`## ${tool.name}\n`)[1]?.split('\n## ')[0] ?? '';
      expect(section).toContain(tool.description);
      for (const name of Object.keys(tool.inputSchema.properties ?? {})) expect(section).toContain(`- \`${name}\` (`);
    }
  });

  it('has every error code, with a hint', async () => {
    await start();
    const { text } = await read('docs://errors');
    for (const code of errorCodes)
      expect(text).toMatch(new RegExp(`^\\| ${code} \\| [^|]{5,} \\| [^|]+ \\| .{5,} \\|$`, 'm'));
    for (const block of text.split('```json\n').slice(1))
      expect(JSON.parse(block.split('```')[0] ?? '')).toHaveProperty('hint');
  });

  it('has filters and sort keys that are accepted', async () => {
    await start();
    const filters = (await read('docs://filters')).text;
    expect(Object.keys(filterExamples)).toEqual(['Eq', 'In', 'Like', 'ArrayContains', 'ArrayNotContains', 'Or', 'And']);
    for (const [name, { filter }] of Object.entries(filterExamples)) {
      expect(filters).toContain(`## ${name}\n`);
      expect(filters).toContain(JSON.stringify(filter));
      expect(parseFilter(exampleSchema, filter)).toEqual(filter);
    }
    const orders = (await read('docs://order-by')).text;
    for (const keys of Object.values(orderByExamples)) {
      expect(orders).toContain(JSON.stringify(keys));
      expect(parseOrderBy(exampleSchema, keys)).toHaveLength(keys.length);
    }
  });
});
