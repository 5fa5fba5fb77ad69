import type { CallToolResult } from '@modelcontextprotocol/server';
import { beforeEach, describe, expect, it } from 'vitest';
import { callTool } from '../../src/mcp/call.js';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Services } from '../../src/mcp/contract.js';
import { createLogger } from '../../src/mcp/log.js';
import { encodeJson } from '../../src/schema/json.js';
import { type Demo, demoKey, demoTools, exactText } from '../helpers/demo-view.js';

const caller = { actor: 'tester', origin: { tool: 'x', request: '7', session: 's' } };
let demo: Demo;
let lines: string[];
let catalogue: Catalogue;

beforeEach(async () => {
  demo = { events: [] };
  lines = [];
  const log = createLogger({ level: 'debug', colour: false, write: (line) => void lines.push(line) });
  catalogue = new Catalogue(new Services().provide(demoKey, demo), log);
  await catalogue.offer('test/demo', demoTools, { text: 'bare' });
});

function call(name: string, args?: Record<string, unknown>, signal = new AbortController().signal) {
  return callTool(catalogue, { name, arguments: args, caller, signal });
}

/** The only text block, parsed; there is never another block. */
function body(result: CallToolResult): Record<string, unknown> {
  const [block, ...others] = result.content;
  expect(others).toEqual([]);
  if (block?.type !== 'text') throw new Error('no text block');
  return JSON.parse(block.text);
}

function expectFailure(result: CallToolResult): Record<string, unknown> {
  expect(result.isError).toBe(true);
  expect(result).not.toHaveProperty('structuredContent');
  return body(result);
}

describe('a successful call', () => {
  it('answers with the bare value as text and under value as structured content', async () => {
    const result = await call('echo', { text: 'hi' });
    expect(result.isError).toBe(false);
    expect(body(result)).toEqual({ text: 'hi' });
    expect(result.structuredContent).toEqual({ value: { text: 'hi' } });
  });

  it('keeps row data digit for digit in both places', async () => {
    const result = await call('exact');
    const [block] = result.content;
    expect(block).toMatchObject({ text: `{"data":${exactText}}` });
    expect(encodeJson(result)).toContain(`"structuredContent":{"value":{"data":${exactText}}}`);
  });

  it('has no bound on how many are in flight, and no warning either', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const results = await Promise.all(Array.from({ length: 40 }, (_, index) => call('echo', { text: String(index) })));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(results.every((result) => result.isError === false)).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('wraps the text in views that are not built in', async () => {
    const services = new Services().provide(demoKey, demo);
    const wrapped = new Catalogue(services, catalogue.log);
    wrapped.offer('other', demoTools);
    const result = await callTool(wrapped, { name: 'echo', arguments: {}, caller, signal: AbortSignal.timeout(5_000) });
    expect(body(result)).toEqual({ value: {} });
  });

  it('drops the value of a void output', async () => {
    const result = await call('nothing');
    expect(body(result)).toEqual({ ok: true });
    expect(result).not.toHaveProperty('structuredContent');
  });

  it('takes the last value of a stream', async () => {
    expect((await call('stream')).structuredContent).toEqual({ value: 3 });
  });
});

describe('arguments', () => {
  it.each([
    ['countt', 'count'],
    ['orderBy', 'order_by'],
    ['dta', 'data'],
  ])('refuses the unknown argument %s and names %s', async (wrong, right) => {
    const error = expectFailure(await call('echo', { [wrong]: 1 }));
    expect(error).toMatchObject({ kind: 'input', code: 'VALIDATION_ERROR', field: wrong, did_you_mean: right });
    expect(Object.keys(error)).toEqual(expect.arrayContaining(['message', 'issues', 'hint']));
  });

  it('lists the arguments when none is near', async () => {
    const error = expectFailure(await call('echo', { zzzzzz: 1 }));
    expect(error).not.toHaveProperty('did_you_mean');
    expect(error).toMatchObject({ arguments: ['text', 'data', 'order_by', 'count'] });
  });

  it('parses an object or array that arrives as JSON text, and nothing inside it', async () => {
    const result = await call('echo', { data: '{"a":"{\\"b\\":1}"}', order_by: '["x"]' });
    expect(body(result)).toEqual({ data: { a: '{"b":1}' }, order_by: ['x'] });
  });

  it('leaves strings alone that are declared as strings', async () => {
    expect(body(await call('echo', { text: '{"a":1}' }))).toEqual({ text: '{"a":1}' });
  });

  it.each(['[1]', '"x"', 'no json', '5'])('refuses %s for an object', async (data) => {
    expect(expectFailure(await call('echo', { data }))).toMatchObject({ kind: 'input', field: 'data' });
  });

  it('takes null for an optional argument as absent, and missing arguments as none', async () => {
    expect(body(await call('echo', { text: null }))).toEqual({});
    expect(body(await call('echo'))).toEqual({});
  });

  it('says what is missing', async () => {
    expect(expectFailure(await call('slow'))).toMatchObject({ field: 'ms', reason: 'missing, a number is required' });
  });

  it('names every wrong argument with its path', async () => {
    const error = expectFailure(await call('echo', { count: 99, order_by: ['a', 3] }));
    expect(error.issues).toMatchObject([{ path: 'order_by[1]' }, { path: 'count' }]);
  });
});

describe('a failing call', () => {
  it('shows a store error with all of its extras', async () => {
    const error = expectFailure(await call('fail', { how: 'business' }));
    expect(Object.keys(error)).toEqual(['kind', 'code', 'message', 'id_prefix', 'candidates', 'hint']);
    expect(error).toMatchObject({ kind: 'business', code: 'AMBIGUOUS_ID', candidates: ['abc', 'abd'] });
  });

  it('shows declared errors as business errors', async () => {
    expect(expectFailure(await call('fail', { how: 'declared' }))).toEqual({
      kind: 'business',
      code: 'SOLD_OUT',
      left: 0,
    });
    expect(expectFailure(await call('fail', { how: 'plain' }))).toEqual({ kind: 'business', error: 'sold out' });
  });

  it.each(['throw', 'unencodable'])('shows nothing of the cause of a defect (%s), which is in the log', async (how) => {
    const error = expectFailure(await call('fail', { how }));
    expect(Object.keys(error)).toEqual(['kind', 'code', 'message', 'incident', 'hint']);
    expect(error).toMatchObject({ kind: 'system', code: 'INTERNAL' });
    expect(JSON.stringify(error)).not.toMatch(/secret|home|no number|at /);
    const line = lines.find((entry) => entry.includes(String(error.incident)));
    for (const part of ['test/demo', 'demo/Fail@1', '"request":"7"', 'duration_ms', '"stack"'])
      expect(line).toContain(part);
  });

  it('answers an unknown tool with a protocol error that says what to do', async () => {
    await expect(call('ecko')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/List the tools again.*'echo'/),
    });
  });
});

describe('cancellation', () => {
  it('aborts the signal and waits for the finalisers', async () => {
    const client = new AbortController();
    const pending = call('slow', { ms: 30_000 }, client.signal);
    setTimeout(() => client.abort(), 10);
    await expect(pending).rejects.toMatchObject({ code: -32603 });
    expect(demo.events).toEqual(['slow began', 'slow finalised']);
  });

  it('unsubscribes from a stream', async () => {
    const client = new AbortController();
    const pending = call('stream', { endless: true }, client.signal);
    setTimeout(() => client.abort(), 10);
    await expect(pending).rejects.toThrow();
    expect(demo.events).toEqual(['stream unsubscribed']);
    expect(lines.join()).not.toContain('suppressed');
  });

  it('does not call the service for a request that was cancelled before', async () => {
    await expect(call('slow', { ms: 1 }, AbortSignal.abort())).rejects.toMatchObject({ code: -32603 });
    expect(demo.events).toEqual([]);
  });

  it('runs finalisers once after an ordinary end, before the answer', async () => {
    await call('slow', { ms: 1 });
    expect(demo.events).toEqual(['slow began', 'slow finalised']);
  });

  it('cuts off what is in flight when the server stops, even work that cannot be interrupted', async () => {
    const pending = call('stubborn', { ms: 2_000 });
    setTimeout(() => void catalogue.stop(), 10);
    await expect(pending).rejects.toThrow(/the server is stopping/);
    await catalogue.idle();
  });
});
