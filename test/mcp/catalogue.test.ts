import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Binding } from '../../src/mcp/binding.js';
import { callTool } from '../../src/mcp/call.js';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Contract, type Operation, ServiceKey, Services } from '../../src/mcp/contract.js';
import { createLogger } from '../../src/mcp/log.js';
import { Projection } from '../../src/mcp/projection.js';
import { ProjectionConflict, ProjectionError } from '../../src/mcp/projection-error.js';
import { annotation, demoKey, demoTools } from '../helpers/demo-view.js';

const key = new ServiceKey<string>('test/service');
const caller = { actor: 'tester', origin: { tool: 'x', session: 's' } };

function newCatalogue(lines: string[] = []) {
  const services = new Services().provide(key, 'service').provide(demoKey, { events: [] });
  return new Catalogue(services, createLogger({ colour: false, write: (line) => void lines.push(line) }));
}

/** An operation that does nothing, bound under a tool name. */
function tool(name: string, changes: Partial<Operation> = {}): Binding {
  const contract = Contract.operation(`test/${name}`, 1, { payload: z.object({}), success: z.string() });
  const annotated = contract.annotate(Projection.Annotation, annotation(name));
  return { ...Projection.operation(key, annotated, () => name), operation: { ...annotated, ...changes } };
}

async function reasonsOf(bindings: readonly Binding[]): Promise<string[]> {
  try {
    await newCatalogue().offer('view', bindings);
  } catch (error) {
    if (error instanceof ProjectionError) return error.problems.map((problem) => problem.reason);
    throw error;
  }
  return [];
}

describe('offer', () => {
  it('publishes a view as one snapshot', async () => {
    const catalogue = newCatalogue();
    const seen: string[][] = [];
    catalogue.snapshots$.subscribe((snapshot) => seen.push([...snapshot.tools.keys()]));
    const controller = await catalogue.offer('view', [tool('a'), tool('b')]);
    expect(controller.revision).toBe(1);
    expect(seen).toEqual([[], ['a', 'b']]);
  });

  it('refuses each thing that cannot be published', async () => {
    const recursive: z.ZodType = z.object({
      get inner() {
        return recursive.optional();
      },
    });
    expect(await reasonsOf([tool('a', { id: 'no-namespace' })])).toEqual(['its id is not namespace/Name']);
    expect(await reasonsOf([tool('a', { version: 0 })])).toEqual(['its version is not a whole number from 1 on']);
    expect(await reasonsOf([tool('a', { kind: 'stream' })])).toEqual(['a stream operation cannot be a tool']);
    expect(await reasonsOf([tool('a', { middleware: ['auth'] })])).toEqual(['it needs middleware']);
    expect(await reasonsOf([tool('a', { payload: z.string() })])).toEqual(['payload: the payload root is no object']);
    expect(await reasonsOf([tool('a', { payload: z.object({ x: z.any() }) })])).toEqual(["payload: 'x' has no type"]);
    expect(await reasonsOf([tool('a', { payload: z.object({ x: z.array(z.unknown()) }) })])).toEqual([
      "payload: 'x[]' has no type",
    ]);
    expect((await reasonsOf([tool('a', { payload: recursive })])).join()).toMatch(/recursive|[Cc]ycle/);
    expect(await reasonsOf([tool('a', { payload: z.union([z.object({}), z.object({ x: z.string() })]) })])).toContain(
      "payload: the root has 'anyOf'",
    );
    const asynchronous = z.object({}).refine(async () => true);
    expect(await reasonsOf([tool('a', { payload: asynchronous })])).toEqual([
      'payload: it cannot be decoded synchronously',
    ]);
    expect(await reasonsOf([tool('a', { success: z.string().transform((text) => text.length) })])).toEqual([
      'success: a one-way transform cannot be encoded',
    ]);
  });

  it('refuses bad annotations and names, all reasons together', async () => {
    const bare = Contract.operation('test/Bare', 1, { payload: z.object({}), success: z.string() });
    const bad = bare.annotate(Projection.Annotation, annotation('bad name!', { title: ' ', description: '' }));
    const unannotated = Projection.operation(key, bare, () => 'x');
    const reasons = await reasonsOf([
      unannotated,
      Projection.operation(key, bad, () => 'x'),
      tool('a'),
      tool('a', { version: 2 }),
    ]);
    expect(reasons).toEqual([
      'it has no tool annotation',
      "its tool name 'bad name!' is not allowed",
      'its title is blank',
      'its description is blank',
      'it is bound twice in this view',
      "the tool name 'a' is used twice",
    ]);
  });

  it('publishes nothing of a view that is refused', async () => {
    const catalogue = newCatalogue();
    await expect(catalogue.offer('view', [tool('a'), tool('b', { version: 0 })])).rejects.toThrow(ProjectionError);
    expect(catalogue.snapshot).toMatchObject({ revision: 0 });
    await catalogue.offer('view', [tool('a')]);
  });

  it('knows one owner of a view name and of a tool name', async () => {
    const catalogue = newCatalogue();
    await catalogue.offer('first', [tool('a')]);
    await expect(catalogue.offer('first', [tool('b')])).rejects.toThrow(ProjectionConflict);
    await expect(catalogue.offer('second', [tool('a')])).rejects.toThrow(/'a' is claimed by 'first' and by 'second'/);
  });

  it('warns of names that some clients refuse', async () => {
    const lines: string[] = [];
    await newCatalogue(lines).offer('view', [tool('with.dot'), tool('a_name_of_more_than_24_characters')]);
    expect(lines.join()).toMatch(/Copilot[\s\S]*Gemini/);
  });

  it('leaves the contract as it was', () => {
    const plain = Contract.operation('test/Plain', 1, { payload: z.object({}), success: z.string() });
    const annotated = plain.annotate(Projection.Annotation, annotation('plain'));
    expect(plain.annotations.get(Projection.Annotation)).toBeUndefined();
    expect(annotated.annotations.get(Projection.Annotation)?.name).toBe('plain');
    expect(Object.isFrozen(annotated)).toBe(true);
  });
});

describe('dispose', () => {
  it('withdraws the tools, ends the calls in flight, then frees the name', async () => {
    const catalogue = newCatalogue();
    const controller = await catalogue.offer('demo', demoTools);
    const signal = new AbortController().signal;
    const pending = callTool(catalogue, { name: 'slow', arguments: { ms: 30_000 }, caller, signal });
    const refused = expect(pending).rejects.toThrow(/the view 'demo' was withdrawn/);
    const disposed = controller.dispose();
    expect(catalogue.snapshot.tools.size).toBe(0);
    await expect(catalogue.offer('demo', demoTools)).rejects.toThrow(ProjectionConflict);
    await disposed;
    await refused;
    await catalogue.offer('demo', demoTools);
  });
});
