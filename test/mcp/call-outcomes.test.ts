/** How calls end: the table of outcomes, one test a row (P-4, P-6, P-11 to P-20). */
import { setTimeout as delay } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { EMPTY, NEVER, Observable, of, throwError } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { StoreError } from '../../src/errors.js';
import type { CallContext } from '../../src/mcp/binding.js';
import { Finalisers, finaliserBoundMs } from '../../src/mcp/finalisers.js';
import { encodeJson } from '../../src/schema/json.js';
import { gate, key, smallCatalogue, type ToolParts, tool } from '../helpers/small-catalogue.js';

type Callback = NonNullable<Parameters<typeof tool>[1]>;

/** One tool in a view of a plugin, and what it answers. */
async function offered(callback: Callback, parts: ToolParts = {}) {
  const small = smallCatalogue();
  const controller = await small.catalogue.offer('view', [tool('a', callback, parts)]);
  return { ...small, controller };
}

async function answerOf(callback: Callback, parts: ToolParts = {}, args: Record<string, unknown> = {}) {
  return (await offered(callback, parts)).call('a', args);
}

function textOf(result: CallToolResult): string {
  const [block] = result.content;
  if (block?.type !== 'text' || result.content.length !== 1) throw new Error('no single text block');
  return block.text;
}

/** The body of an error, which never has structured content (P-15). */
function errorOf(result: CallToolResult): Record<string, unknown> {
  expect(result.isError).toBe(true);
  expect(result).not.toHaveProperty('structuredContent');
  return JSON.parse(textOf(result));
}

const thrower = (error: unknown) => () => {
  throw error;
};

/** What every entry of the log has of a failed call (P-17). */
const everyEntry = ['test/service', 'test/a@1', '"view":"view"', '"revision":1', '"request":"7"', 'duration_ms'];

describe('a success', () => {
  it('is the wire side of its codec, the same bytes as text and as structured content (P-4)', async () => {
    const day = z.codec(z.string(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    });
    const value = { day: new Date(0), ünï: '\u2028\ud83d\ude00', n: [1.5, null] };
    const success = z.object({ day, ünï: z.string(), n: z.array(z.number().nullable()) });
    const result = await answerOf(() => value, { success });
    expect(textOf(result)).toBe(
      '{"value":{"day":"1970-01-01T00:00:00.000Z","ünï":"\u2028\ud83d\ude00","n":[1.5,null]}}',
    );
    expect(encodeJson(result.structuredContent)).toBe(textOf(result));
  });

  it('is dropped by a void output, whatever it was (P-4)', async () => {
    const result = await answerOf(() => 1n, { success: z.undefined(), annotation: { output: 'void' } });
    expect(result).toEqual({ content: [{ type: 'text', text: '{"ok":true}' }], isError: false });
  });

  it.each([
    ['a value of another type', z.string(), 5],
    ['nothing where JSON needs something', z.string().optional(), undefined],
    ['what JSON cannot hold', z.object({}).loose(), { big: 1n }],
  ])('that cannot be encoded is a system error: %s (P-14)', async (_what, success, value) => {
    const { call, lines } = await offered(() => value, { success });
    const error = errorOf(await call('a'));
    expect(error).toMatchObject({ kind: 'system', code: 'INTERNAL' });
    const line = lines.find((entry) => entry.includes(String(error.incident)));
    for (const part of [...everyEntry, 'stack']) expect(line, part).toContain(part);
  });

  it('comes from whatever implements the service when the call is admitted (P-6)', async () => {
    const { call, services } = await offered(async (service) => {
      await delay(10);
      return service;
    });
    const first = call('a');
    services.provide(key, 'another');
    const second = call('a');
    services.withdraw(key);
    expect((await first).structuredContent).toEqual({ value: 'service' });
    expect((await second).structuredContent).toEqual({ value: 'another' });
    expect(errorOf(await call('a'))).toMatchObject({ kind: 'system' });
  });
});

describe('arguments', () => {
  it('that are wrong never reach the service, and each is named with its path (P-11)', async () => {
    const called = vi.fn(() => 'x');
    const payload = z.object({ list: z.array(z.object({ n: z.number() })), name: z.string() });
    const error = errorOf(await answerOf(called, { payload }, { list: [{ n: 1 }, { n: 'two' }] }));
    expect(error).toMatchObject({ kind: 'input', issues: [{ path: 'list[1].n' }, { path: 'name' }] });
    expect(called).not.toHaveBeenCalled();
  });

  it('that break the schema itself are a system error (P-13)', async () => {
    const payload = z.object({ x: z.string().refine((text) => text === 'x' || thrower(new Error('secret'))()) });
    const error = errorOf(await answerOf(() => 'x', { payload }, { x: 'y' }));
    expect(error).toMatchObject({ kind: 'system' });
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});

class SoldOut extends Error {
  override readonly name = 'SoldOut';
  readonly code = 'SOLD_OUT';

  constructor(readonly left: number) {
    super('private words');
  }
}

describe('a declared error', () => {
  const error = z.union([
    z.object({ code: z.literal('SOLD_OUT'), left: z.number() }),
    z.object({ reason: z.string() }),
    z.literal('closed'),
  ]);

  it.each([
    [
      'with a code is spread beside kind',
      { code: 'SOLD_OUT', left: 2 },
      { kind: 'business', code: 'SOLD_OUT', left: 2 },
    ],
    ['may be a class', new SoldOut(3), { kind: 'business', code: 'SOLD_OUT', left: 3 }],
    ['without a code is under error', { reason: 'rain' }, { kind: 'business', error: { reason: 'rain' } }],
    ['may be a text', 'closed', { kind: 'business', error: 'closed' }],
  ])('%s (P-12)', async (_how, thrown, expected) => {
    expect(errorOf(await answerOf(thrower(thrown), { error }))).toEqual(expected);
    expect(errorOf(await answerOf(() => Promise.reject(thrown), { error }))).toEqual(expected);
    expect(errorOf(await answerOf(() => throwError(() => thrown), { error }))).toEqual(expected);
  });

  it('is shown in the wire side of its codec, and cannot choose its kind (P-12)', async () => {
    const at = z.codec(z.string(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    });
    const declared = z.object({ code: z.string(), kind: z.string(), at });
    const thrown = { code: 'LATE', kind: 'system', at: new Date(0) };
    expect(errorOf(await answerOf(thrower(thrown), { error: declared }))).toEqual({
      kind: 'business',
      code: 'LATE',
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('of the store is shown as it is, declared by every contract', async () => {
    const thrown = new StoreError('AMBIGUOUS_ID', { id_prefix: 'a', candidates: ['ab', 'ac'] });
    expect(errorOf(await answerOf(thrower(thrown)))).toEqual(thrown.toJSON());
  });

  it('that cannot be encoded is a system error, and the log has both causes (P-13, P-17)', async () => {
    const broken = z.codec(z.string(), z.object({ code: z.string() }), {
      decode: (code) => ({ code }),
      encode: thrower(new Error('encoder broke')),
    });
    const { call, lines } = await offered(thrower({ code: 'THE_FIRST' }), { error: broken });
    expect(errorOf(await call('a'))).toMatchObject({ kind: 'system' });
    expect(lines.join()).toMatch(/THE_FIRST[\s\S]*encoder broke/);
  });
});

describe('a system error', () => {
  const circular: { self?: unknown; note: string } = { note: 'went round' };
  circular.self = circular;

  it.each([
    ['a throw', thrower(new Error('secret', { cause: new Error('deep secret') })), 'deep secret'],
    ['a rejection', () => Promise.reject(new TypeError('secret')), 'secret'],
    ['an undeclared value', thrower({ code: 'SECRET' }), 'SECRET'],
    ['a value that is no JSON', thrower(circular), 'went round'],
    ['a stream without a value', () => EMPTY, 'without a value'],
    ['a stream that fails', () => throwError(() => new Error('secret')), 'secret'],
  ])(
    'tells an incident and nothing else, and the log tells the rest: %s (P-13, P-17)',
    async (_what, callback, cause) => {
      const { call, lines } = await offered(callback, { error: z.object({ declared: z.literal(true) }) });
      const error = errorOf(await call('a'));
      expect(Object.keys(error)).toEqual(['kind', 'code', 'message', 'incident', 'hint']);
      expect(error).toMatchObject({ kind: 'system', code: 'INTERNAL' });
      expect(JSON.stringify(error)).not.toMatch(/secret|went round|without/i);
      const line = lines.find((entry) => entry.includes(String(error.incident)));
      for (const part of [cause, ...everyEntry]) expect(line, part).toContain(part);
    },
  );
});

it('an unknown tool is a protocol error, before its arguments are looked at (P-16)', async () => {
  await expect((await offered(() => 'x')).call('b', { wrong: 1 })).rejects.toMatchObject({ code: -32602 });
});

describe('a call that is cut off', () => {
  type Small = Awaited<ReturnType<typeof offered>>;
  const ends: [string, (small: Small, client: AbortController) => unknown, RegExp][] = [
    ['its client cancels', (_small, client) => client.abort(), /cut off/],
    ['its owner is disposed of', ({ controller }) => controller.dispose(), /the view 'view' was withdrawn/],
    ['the server stops', ({ catalogue }) => catalogue.stop(), /the server is stopping/],
  ];

  it.each(ends)(
    'aborts its signal, unsubscribes and awaits its finalisers: %s (P-18, P-19)',
    async (_why, cut, message) => {
      const events: string[] = [];
      const small = await offered((_service, _payload, context) => {
        context.defer(() => void events.push('deferred first'));
        context.defer(async () => {
          await delay(20);
          events.push('deferred last');
        });
        context.signal.addEventListener('abort', () => events.push('aborted'));
        return new Observable(() => () => void events.push('unsubscribed'));
      });
      const client = new AbortController();
      const call = small.call('a', {}, client.signal);
      const refused = expect(call).rejects.toMatchObject({ code: -32603, message: expect.stringMatching(message) });
      cut(small, client);
      expect([...events].sort()).toEqual(['aborted', 'unsubscribed']);
      await refused;
      await small.catalogue.idle();
      expect(events.slice(2)).toEqual(['deferred last', 'deferred first']);
      expect(small.lines.join()).not.toContain('suppressed');
    },
  );

  it('stays cut off whatever fails meanwhile, and the log has it as suppressed (P-20)', async () => {
    const events: string[] = [];
    const failing = z.codec(z.string(), z.string(), {
      decode: (text) => text,
      encode: thrower(new Error('the encoder failed')),
    });
    const client = new AbortController();
    const { call, lines } = await offered(
      (_service, _payload, context) => {
        context.defer(() => thrower(new Error('the finaliser failed'))());
        context.defer(() => void events.push('finalised'));
        client.abort();
        return 'x';
      },
      { success: failing },
    );
    await expect(call('a', {}, client.signal)).rejects.toMatchObject({ code: -32603 });
    expect(events).toEqual(['finalised']);
    expect(lines.join()).toMatch(/WARN a failure of a finaliser was suppressed .*the finaliser failed/);
  });

  it('by its own encoder ends as cancelled, and the failure is suppressed (P-20)', async () => {
    const client = new AbortController();
    const success = z.codec(z.string(), z.string(), {
      decode: (text) => text,
      encode: (text) => {
        // Not when the view is checked, for which a value is made up.
        if (text !== 'answer') return text;
        client.abort();
        throw new Error('the encoder failed');
      },
    });
    const { call, lines } = await offered(() => 'answer', { success });
    await expect(call('a', {}, client.signal)).rejects.toMatchObject({ code: -32603 });
    expect(lines.join()).toMatch(/WARN a failure during cancellation was suppressed .*the encoder failed/);
  });

  it.each([
    ['a declared error', { code: 'LATE' }],
    ['a store error', new StoreError('NOT_FOUND', { id: 'x' })],
    ['a defect', new Error('late defect')],
  ])('never answers with what its work throws then: %s (P-20)', async (_what, thrown) => {
    const { call, lines } = await offered(
      (_service, _payload, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(thrown))),
      { error: z.object({ code: z.string() }) },
    );
    const client = new AbortController();
    const pending = call('a', {}, client.signal);
    client.abort();
    await expect(pending).rejects.toMatchObject({ code: -32603 });
    expect(lines.filter((line) => line.includes('was suppressed'))).toHaveLength(1);
  });

  it('is not kept by a stream whose clean-up fails (P-20)', async () => {
    const { call, lines } = await offered(() => new Observable(() => thrower(new Error('clean-up failed'))));
    const client = new AbortController();
    const pending = call('a', {}, client.signal);
    client.abort();
    await expect(pending).rejects.toMatchObject({ code: -32603 });
    await expect.poll(() => lines.join()).toMatch(/suppressed .*clean-up failed/);
  });

  it('waits five seconds for a finaliser that hangs, not longer (P-18)', async () => {
    const warn = vi.fn();
    const finalisers = new Finalisers(warn);
    finalisers.defer(() => new Promise(() => undefined));
    await finalisers.run(20);
    expect(warn).toHaveBeenCalledExactlyOnceWith('finalisers of a call still run after 20 ms');
    expect(finaliserBoundMs).toBe(5_000);
  });

  it('runs at once what its work defers after the end, and everything once (P-18)', async () => {
    const events: string[] = [];
    const late = gate<CallContext>();
    const { call } = await offered((_service, _payload, context) => {
      context.defer(() => void events.push('in time'));
      late.open(context);
      return NEVER;
    });
    const client = new AbortController();
    const pending = call('a', {}, client.signal);
    client.abort();
    await expect(pending).rejects.toThrow();
    const context = await late.opened;
    expect(context.signal.aborted).toBe(true);
    context.defer(() => void events.push('late'));
    await expect.poll(() => events).toEqual(['in time', 'late']);
  });

  it('before it began never reaches the service', async () => {
    const called = vi.fn(() => 'x');
    const { call } = await offered(called);
    await expect(call('a', {}, AbortSignal.abort())).rejects.toMatchObject({ code: -32603 });
    expect(called).not.toHaveBeenCalled();
  });
});

it('finalisers run once after every other end too', async () => {
  let runs = 0;
  const counting = (end: () => unknown) => (_service: string, _payload: unknown, context: CallContext) => {
    context.defer(() => void runs++);
    return end();
  };
  for (const end of [() => 'x', () => of('x'), thrower(new Error('x')), () => 5]) await answerOf(counting(end));
  expect(runs).toBe(4);
});

describe('what throws when it is looked at', () => {
  const secret = () => {
    throw new Error('a secret');
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each([
    ['an error without a readable message', Object.defineProperty(new Error('x'), 'message', { get: secret })],
    ['a proxy that has no prototype to tell', new Proxy({}, { getPrototypeOf: secret })],
    ['a revoked proxy', revoked.proxy],
    ['a plain object', Object.defineProperty({}, 'code', { get: secret, enumerable: true })],
  ])('is a system error like any other: %s', async (_, thrown) => {
    const error = z.object({ code: z.literal('REFUSED') });
    const result = errorOf(await answerOf(thrower(thrown), { error }));
    expect(result).toMatchObject({ kind: 'system', code: 'INTERNAL', incident: expect.any(String) });
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});
