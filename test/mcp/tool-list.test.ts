import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Services } from '../../src/mcp/contract.js';
import { serverInstructions } from '../../src/mcp/instructions.js';
import { createLogger } from '../../src/mcp/log.js';
import { coreTools, coreView } from '../../src/mcp/tools/index.js';
import { definitionOf } from '../../src/mcp/view.js';
import { checkView } from '../../src/mcp/view-check.js';

const view = checkView(coreTools);
const tools = view.checked.map((tool) => ({ ...tool, name: tool.annotation.name }));
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const modelFacing = tools.map(({ name, annotation, inputSchema }) => ({
  name,
  description: annotation.description,
  inputSchema,
}));

/** What tools/list answers with. */
async function published() {
  const catalogue = new Catalogue(new Services(), createLogger({ write: () => undefined }));
  await catalogue.offer(coreView, coreTools, { text: 'bare', trusted: true });
  return [...catalogue.snapshot.tools.values()].map(definitionOf);
}

describe('the built-in tools', () => {
  it('are publishable without a problem or a warning', () => {
    expect(view.problems).toEqual([]);
    expect(view.warnings).toEqual([]);
  });

  it('have the hints of the contract', () => {
    const hints = Object.fromEntries(
      tools.map(({ name, annotation: hints }) => [
        name,
        [hints.readOnlyHint, hints.destructiveHint, hints.idempotentHint, hints.openWorldHint]
          .map((hint) => (hint ? 'T' : 'F'))
          .join(''),
      ]),
    );
    expect(hints).toEqual({
      info: 'TFTF',
      create: 'FFFF',
      get: 'TFTF',
      list: 'TFTF',
      update: 'FFTF',
      delete: 'FTTF',
      reload: 'FFFF',
      schema_create: 'FFFF',
      schema_update: 'FFTF',
      schema_delete: 'FTFF',
      schema_batch: 'FTFF',
      data_snapshot: 'FFFT',
      row_restore: 'FFTF',
      alias_create: 'FFFF',
      alias_list: 'TFTF',
      alias_run: 'TFTF',
      alias_delete: 'FTTF',
      row_materialize: 'FTTF',
      query_aggregate: 'TFTF',
      content_view: 'TFTF',
      content_replace: 'FFFF',
      content_insert: 'FFFF',
    });
  });

  it.each(['info', 'create', 'get', 'list', 'update', 'delete'])('%s mentions table in its description', (name) => {
    const tool = tools.find((item) => item.name === name);
    expect(tool?.annotation.description.slice(0, 200)).toMatch(/\btable\b/);
    expect(tool?.inputSchema.properties).toHaveProperty('table');
  });

  it('stay within the budgets', async () => {
    for (const tool of modelFacing) expect(bytes(tool), tool.name).toBeLessThanOrEqual(1_200);
    for (const tool of modelFacing) expect(tool.description.length, tool.name).toBeLessThanOrEqual(700);
    expect(modelFacing).toHaveLength(22);
    expect(modelFacing.reduce((total, tool) => total + bytes(tool), 0)).toBeLessThanOrEqual(16_000);
    expect(bytes({ tools: await published() })).toBeLessThanOrEqual(26_000);
    expect(serverInstructions.length).toBeLessThan(2_000);
  });

  it('publish schemas that are valid 2020-12', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false });
    for (const { name, inputSchema, outputSchema } of tools) {
      expect(ajv.validateSchema(inputSchema), name).toBe(true);
      expect(() => ajv.compile(inputSchema), name).not.toThrow();
      if (outputSchema !== undefined) expect(() => ajv.compile(outputSchema), name).not.toThrow();
    }
  });

  it.each(tools)('$name publishes a closed plain object with portable argument names', ({ inputSchema }) => {
    expect(inputSchema.type).toBe('object');
    expect(inputSchema.additionalProperties).toBe(false);
    for (const keyword of ['anyOf', 'oneOf', 'allOf', '$schema', '$defs', 'if'])
      expect(inputSchema).not.toHaveProperty(keyword);
    for (const name of Object.keys(inputSchema.properties ?? {})) expect(name).toMatch(/^[a-z][a-z0-9_]{0,39}$/);
  });

  it.each(['create', 'update'])('%s publishes data as an open object', (name) => {
    const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties;
    expect(properties).toMatchObject({ data: { type: 'object', additionalProperties: true } });
  });

  it.each([[[1]], ['{"a":1}'], [null], [5]])('refuse %j as data', (data) => {
    for (const name of ['create', 'update']) {
      const payload = tools.find((tool) => tool.name === name)?.binding.operation.payload;
      const issues = payload?.safeParse({ id: 'a', data }).error?.issues;
      expect(issues).toMatchObject([{ path: ['data'], message: '(root): value must be a JSON object' }]);
    }
  });

  it('keep data as the caller wrote it', () => {
    const data: unknown = JSON.parse('{"z":1,"__proto__":{"x":1},"a":[1,{}]}');
    const payload = tools.find((tool) => tool.name === 'create')?.binding.operation.payload;
    expect(payload?.parse({ data })).toHaveProperty('data', data);
    expect(JSON.stringify(payload?.parse({ data }))).toBe('{"data":{"z":1,"__proto__":{"x":1},"a":[1,{}]}}');
  });

  it('hold none of the keywords that clients refuse, at any depth', () => {
    for (const { name, inputSchema, outputSchema } of tools) {
      for (const schema of [inputSchema, outputSchema]) walk(schema, name);
    }
  });
});

/** A reading of the published document that shares no code with the one that made it. */
function walk(schema: unknown, path: string): void {
  if (typeof schema !== 'object' || schema === null) throw new Error(`${path} is no schema object`);
  const node: Record<string, unknown> = { ...schema };
  for (const keyword of ['$ref', '$defs', 'format', 'pattern', 'const', 'prefixItems'])
    expect(node, path).not.toHaveProperty(keyword);
  expect(Array.isArray(node.type), path).toBe(false);
  expect('type' in node || 'anyOf' in node, `${path} is typed`).toBe(true);
  if (node.type === 'array') walk(node.items, `${path}[]`);
  if (node.type === 'object') expect('properties' in node || node.additionalProperties === true, path).toBe(true);
  if (node.type === 'integer') {
    expect(typeof node.minimum, path).toBe('number');
    expect(typeof node.maximum, path).toBe('number');
  }
  for (const [name, member] of Object.entries(node.properties ?? {})) walk(member, `${path}.${name}`);
  if (Array.isArray(node.anyOf)) for (const member of node.anyOf) walk(member, `${path}|`);
}
