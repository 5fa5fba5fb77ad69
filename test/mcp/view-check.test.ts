/** What is refused before it is published, in words, all of it together (P-1 to P-10). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Binding } from '../../src/mcp/binding.js';
import { Contract, ServiceKey } from '../../src/mcp/contract.js';
import { Projection } from '../../src/mcp/projection.js';
import { checkView } from '../../src/mcp/view-check.js';
import { annotation } from '../helpers/demo-view.js';
import { key, smallCatalogue, type ToolParts, tool } from '../helpers/small-catalogue.js';

const reasons = (...bindings: Binding[]) => checkView(bindings).problems.map(({ reason }) => reason);
const reasonsOf = (parts: ToolParts) => reasons(tool('a', undefined, parts));
const warnings = (changes: ToolParts['annotation'], name = 'a') =>
  checkView([tool(name, undefined, { annotation: changes ?? {} })]).warnings;

describe('annotations', () => {
  it('of the host win over those of the contract, and neither changes the other (P-1)', async () => {
    const { catalogue } = smallCatalogue();
    const contract = Contract.operation('test/A', 1, { payload: z.object({}), success: z.string() });
    const packaged = contract.annotate(Projection.Annotation, annotation('packaged'));
    const mine = { ...annotation('mine') };
    const hosted = packaged.annotate(Projection.Annotation, mine);
    await catalogue.offer('view', [Projection.operation(key, hosted, () => 'x')]);
    mine.description = 'changed later';
    expect([...catalogue.snapshot.tools.keys()]).toEqual(['mine']);
    expect(catalogue.snapshot.tools.get('mine')?.annotation.description).toBe('What mine does.');
    expect(packaged.annotations.get(Projection.Annotation)?.name).toBe('packaged');
  });

  it('without a required text, hint or output are refused, also from plain JavaScript (P-2, P-3)', () => {
    const bare = Contract.operation('test/A', 1, { payload: z.object({}), success: z.string() });
    const given: object = { name: 'a', title: '  ' };
    // @ts-expect-error most of it is missing
    const binding = Projection.operation(key, bare.annotate(Projection.Annotation, given), () => 'x');
    expect(reasons(binding)).toEqual([
      'its title is blank',
      'its description is blank',
      'its readOnlyHint is not a boolean',
      'its destructiveHint is not a boolean',
      'its idempotentHint is not a boolean',
      'its openWorldHint is not a boolean',
      "its output is neither 'json' nor 'void'",
    ]);
  });

  it.each(['', 'a b', 'ä', 'a/b', 'x'.repeat(129)])("'%s' is no tool name (P-2)", (name) => {
    expect(reasonsOf({ annotation: { name } })).toEqual([`its tool name '${name}' is not allowed`]);
  });

  it.each(['x', 'A.b_c-9', 'x'.repeat(128)])('%s is a tool name (P-2)', (name) => {
    expect(reasonsOf({ annotation: { name } })).toEqual([]);
  });

  it('warn of what some clients do not take, and name those clients (P-2)', () => {
    expect(warnings({ name: 'a.b' })).toEqual([expect.stringMatching(/'a\.b'.*Copilot.*dot/)]);
    expect(warnings({ name: 'x'.repeat(25) })).toEqual([expect.stringMatching(/Gemini.*24/)]);
    expect(warnings({ description: 'x'.repeat(1_901) })).toEqual([expect.stringMatching(/Claude Code.*1,900/)]);
    expect(warnings({ name: 'x'.repeat(24), description: 'x'.repeat(1_900) })).toEqual([]);
  });

  it('hints are published as they are (P-3)', async () => {
    const { catalogue } = smallCatalogue();
    const odd = { readOnlyHint: true, destructiveHint: true, idempotentHint: false, openWorldHint: true };
    const controller = await catalogue.offer('view', [tool('a', undefined, { annotation: odd })]);
    expect(controller.history[0]?.after).toMatchObject([odd]);
  });
});

describe('identity', () => {
  it.each(['example/forecast/Get', 'test/A'])('%s is one (P-9)', (id) => {
    expect(reasonsOf({ id })).toEqual([]);
  });

  it.each(['Get', '/Get', 'a/', 'a b/c'])("'%s' is none (P-9)", (id) => {
    expect(reasonsOf({ id })).toEqual(['its id is not namespace/Name']);
  });

  it('needs a service key (P-9)', () => {
    const { operation } = tool('a');
    const binding = Projection.operation(new ServiceKey<string>(' '), operation, () => 'x');
    expect(reasons(binding)).toEqual(['its service key is blank']);
  });

  it('may come again in another version or of another service, once each (P-5)', () => {
    const other = { ...tool('c', undefined, { id: 'test/A' }), service: 'test/other' };
    const first = tool('a', undefined, { id: 'test/A' });
    expect(reasons(first, tool('b', undefined, { id: 'test/A', version: 2 }), other)).toEqual([]);
    expect(reasons(first, tool('b', undefined, { id: 'test/A' }))).toEqual(['it is bound twice in this view']);
  });
});

describe('schemas', () => {
  const waiting = z.string().refine(async () => true);
  const promising = z.string().refine((text) => Promise.resolve(text !== ''));

  it('that have to wait are refused wherever they stand (P-8, P-9)', () => {
    for (const slow of [waiting, promising]) {
      const expected = 'payload: it cannot be decoded synchronously';
      expect(reasonsOf({ payload: z.object({ deep: z.array(z.object({ slow })) }) })).toEqual([expected]);
      expect(reasonsOf({ payload: z.object({ slow: slow.optional() }) })).toEqual([expected]);
      expect(reasonsOf({ success: slow })).toEqual(['success: it cannot be encoded synchronously']);
      expect(reasonsOf({ error: z.object({ slow }) })).toEqual(['error: it cannot be encoded synchronously']);
    }
    const codec = z.codec(z.string(), z.string(), { decode: (text) => text, encode: async (text) => text });
    expect(reasonsOf({ success: codec })).toEqual(['success: it cannot be encoded synchronously']);
  });

  it('may transform one way in payloads only (P-8)', () => {
    const oneWay = z.object({ n: z.string().transform(Number) });
    expect(reasonsOf({ payload: oneWay })).toEqual([]);
    expect(reasonsOf({ success: oneWay })).toEqual(['success: a one-way transform cannot be encoded']);
    expect(reasonsOf({ error: oneWay })).toEqual(['error: a one-way transform cannot be encoded']);
    const days = z.codec(z.string(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    });
    expect(reasonsOf({ payload: z.object({ days }), success: days, error: z.object({ days }) })).toEqual([]);
  });

  it('that nobody can read, or that hold themselves, are refused in payloads (P-9)', () => {
    const tree: z.ZodType = z.object({
      get inner() {
        return tree.optional();
      },
    });
    expect(reasonsOf({ payload: tree }).join()).toMatch(/recursive|[Cc]ycle/);
    expect(reasonsOf({ payload: z.object({ x: z.date() }) })).toEqual(["payload: 'x' has no type"]);
    expect(reasonsOf({ payload: z.object({ x: z.custom<object>() }) })).toEqual(["payload: 'x' has no type"]);
    expect(reasonsOf({ payload: z.array(z.string()) })).toContain('payload: the payload root is no object');
    for (const payload of [z.record(z.string(), z.string()), z.looseObject({ a: z.string() })])
      expect(reasonsOf({ payload }).join()).toContain('arguments of any name');
    expect(reasonsOf({ error: tree })).toEqual([]);
  });

  it('of another library are refused (P-9)', () => {
    // @ts-expect-error no schema of zod 4
    expect(reasonsOf({ payload: { parse: () => 1 } })).toEqual(['payload: it is no schema of zod 4']);
  });

  it('of a value that is dropped need not be publishable (P-4)', () => {
    const opaque = { success: z.unknown() };
    expect(reasonsOf(opaque)).toEqual(['success: the root has no type']);
    expect(reasonsOf({ ...opaque, annotation: { output: 'void' } })).toEqual([]);
  });
});

it('reports everything that is wrong with every binding together, each with its operation (P-9)', async () => {
  const { catalogue } = smallCatalogue();
  const stream = Contract.operation('test/Stream', 2, {
    kind: 'stream',
    middleware: ['auth'],
    payload: z.string(),
    success: z.string(),
  }).annotate(Projection.Annotation, annotation('stream'));
  const offered = catalogue.offer('view', [
    Projection.operation(key, stream, () => 'x'),
    tool('b', undefined, { version: 0 }),
  ]);
  await expect(offered).rejects.toMatchObject({
    service: 'test/service',
    operation: 'test/Stream@2',
    reason: 'a stream operation cannot be a tool',
    problems: [
      { operation: 'test/Stream@2', reason: 'a stream operation cannot be a tool' },
      { operation: 'test/Stream@2', reason: 'it needs middleware' },
      { operation: 'test/Stream@2', reason: 'payload: the payload root is no object' },
      { operation: 'test/b@0', reason: 'its version is not a whole number from 1 on' },
    ],
  });
  // The operation stays what it was, and usable elsewhere (P-10).
  expect(stream.payload.parse('x')).toBe('x');
});
