/** A view for tests, offered through the catalogue as a plugin's would be. */
import { setTimeout as delay } from 'node:timers/promises';
import { Observable, of } from 'rxjs';
import { z } from 'zod';
import { StoreError } from '../../src/errors.js';
import type { Binding, ToolAnnotation } from '../../src/mcp/binding.js';
import { Contract, ServiceKey } from '../../src/mcp/contract.js';
import { Projection } from '../../src/mcp/projection.js';
import { isObject, openObject, wireResult } from '../../src/mcp/tools/shared-results.js';
import { type JsonText, RawJson } from '../../src/schema/json.js';

/** What happened in the service, oldest first. */
export interface Demo {
  readonly events: string[];
}

export const demoKey = new ServiceKey<Demo>('test/demo');

export function annotation(name: string, changes: Partial<ToolAnnotation> = {}): ToolAnnotation {
  return {
    name,
    title: `Title of ${name}`,
    description: `What ${name} does.`,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
    output: 'json',
    ...changes,
  };
}

/** Digits that no JavaScript number holds, in a key order and with a key that objects do not keep. */
export const exactText = '{"b":12345678901234567890,"2":1.10,"__proto__":{"x":1},"1":"\\u0041"}' as JsonText;

const echo = Contract.operation('demo/Echo', 1, {
  payload: z.object({
    text: z.string().optional(),
    data: z.record(z.string(), z.unknown()).optional(),
    order_by: z.array(z.string()).optional(),
    count: z.int().min(0).max(10).optional(),
  }),
  success: wireResult<Record<string, unknown>>(isObject, openObject),
}).annotate(Projection.Annotation, annotation('echo'));

const whoami = Contract.operation('demo/WhoAmI', 1, {
  payload: z.object({}),
  success: wireResult<Record<string, unknown>>(isObject, openObject),
}).annotate(Projection.Annotation, annotation('whoami'));

const exact = Contract.operation('demo/Exact', 1, {
  payload: z.object({}),
  success: wireResult<{ data: RawJson }>(isObject, openObject),
}).annotate(Projection.Annotation, annotation('exact'));

const fail = Contract.operation('demo/Fail', 1, {
  payload: z.object({ how: z.enum(['business', 'declared', 'plain', 'throw', 'unencodable']) }),
  success: z.object({ n: z.number() }),
  error: z.union([z.object({ code: z.string(), left: z.number() }), z.literal('sold out')]),
}).annotate(Projection.Annotation, annotation('fail'));

const slow = Contract.operation('demo/Slow', 1, {
  payload: z.object({ ms: z.int().min(0).max(60_000) }),
  success: z.string(),
}).annotate(Projection.Annotation, annotation('slow'));

const stubborn = Contract.operation('demo/Stubborn', 1, {
  payload: z.object({ ms: z.int().min(0).max(60_000) }),
  success: z.string(),
}).annotate(Projection.Annotation, annotation('stubborn'));

const stream = Contract.operation('demo/Stream', 1, {
  payload: z.object({ endless: z.boolean().optional() }),
  success: z.number(),
}).annotate(Projection.Annotation, annotation('stream'));

const nothing = Contract.operation('demo/Nothing', 1, {
  payload: z.object({}),
  success: z.string(),
}).annotate(Projection.Annotation, annotation('nothing', { output: 'void' }));

export const demoTools: readonly Binding[] = [
  Projection.operation(demoKey, echo, (_demo, payload) => ({ ...payload })),
  Projection.operation(demoKey, whoami, (_demo, _payload, { caller }) => ({ ...caller })),
  Projection.operation(demoKey, exact, () => ({ data: new RawJson(exactText) })),
  Projection.operation(demoKey, fail, (_demo, { how }) => failing(how)),
  Projection.operation(demoKey, slow, async (demo, { ms }, context) => {
    demo.events.push('slow began');
    context.defer(async () => {
      await delay(20);
      demo.events.push('slow finalised');
    });
    await delay(ms, undefined, { signal: context.signal });
    return 'slow done';
  }),
  Projection.operation(demoKey, stubborn, async (_demo, { ms }) => {
    await delay(ms);
    return 'stubborn done';
  }),
  Projection.operation(demoKey, stream, (demo, { endless }) =>
    endless === true ? new Observable<number>(() => () => void demo.events.push('stream unsubscribed')) : of(1, 2, 3),
  ),
  Projection.operation(demoKey, nothing, () => 'dropped'),
];

function failing(how: string): { n: number } {
  if (how === 'business') {
    throw new StoreError('AMBIGUOUS_ID', { id_prefix: 'ab', candidates: ['abc', 'abd'] });
  }
  if (how === 'declared') throw { code: 'SOLD_OUT', left: 0 };
  if (how === 'plain') throw 'sold out';
  if (how === 'throw') throw new Error('SELECT secret FROM /var/somebody/place');
  return JSON.parse('{"n":"no number"}');
}
