/** What a server and a plugin's worker tell each other. The worker is not trusted: what it says is checked. */
import { z } from 'zod';
import type { Caller } from '../../../events/types.js';
import type { Failure } from '../../../ops/worker-thread.js';

/** What a worker is started with. */
export interface WorkerStart {
  readonly module: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

export type ToWorker =
  | {
      readonly type: 'call';
      readonly id: number;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly caller: Caller;
    }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'stored'; readonly id: number; readonly value?: unknown; readonly failure?: Failure }
  | { readonly type: 'ping' };

const text = z.string().max(100_000);
const jsonSchema = z.record(z.string(), z.json());

const tool = z.strictObject({
  service: text,
  operation: text,
  version: z.number().int(),
  annotation: z.strictObject({
    name: text,
    title: text,
    description: text,
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    idempotentHint: z.boolean(),
    openWorldHint: z.boolean(),
    output: z.enum(['json', 'void']),
  }),
  input: jsonSchema,
  output: jsonSchema.optional(),
});

const view = z.strictObject({ name: text, plugin: text, version: text.optional(), tools: z.array(tool) });

const description = z.strictObject({
  plugins: z.array(z.strictObject({ name: text, version: text.optional() })).min(1),
  views: z.array(view),
});

export type DescribedTool = z.infer<typeof tool>;
export type DescribedView = z.infer<typeof view>;
/** What a worker publishes. */
export type Description = z.infer<typeof description>;

export const storeMethods = ['get', 'list', 'create', 'update', 'delete', 'restore'] as const;

/** What a worker may say; anything else ends it. */
export const fromWorker = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), description }),
  /** `words` are fit for clients; null: only the log says why, by the rest. */
  z.strictObject({
    type: z.literal('failed'),
    words: text.nullable(),
    name: z.string(),
    message: z.string(),
    stack: z.string(),
  }),
  /** `text` is that of the result; `cutOff`: there is none. */
  z.strictObject({
    type: z.literal('ended'),
    id: z.number(),
    text: z.string().optional(),
    isError: z.boolean().optional(),
    cutOff: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('store'),
    id: z.number(),
    call: z.number(),
    method: z.enum(storeMethods),
    input: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ type: z.literal('log'), line: z.string() }),
  z.strictObject({ type: z.literal('pong') }),
]);

export type FromWorker = z.infer<typeof fromWorker>;
