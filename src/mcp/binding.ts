/** What the catalogue knows of a tool: what it says of itself, and how a call reaches its service. */
import type { z } from 'zod';
import type { Caller } from '../events/types.js';
import { AnnotationKey, type Operation, type Services } from './contract.js';
import type { Contributor } from './contributor.js';

/** What a tool says of itself. The hints are published as they are; nothing is inferred (P-3). */
export interface ToolAnnotation {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
  /** `void` drops the value and answers `{"ok":true}`. */
  readonly output: 'json' | 'void';
}

/** What a call knows besides its payload. */
export interface CallContext {
  readonly caller: Caller;
  /** Aborted when the client cancels, the view is withdrawn or the server stops. */
  readonly signal: AbortSignal;
  /** Runs when the call ends, however it ends; the last one deferred runs first. */
  defer(finaliser: () => void | Promise<void>): void;
}

/** An operation that knows its service. */
export interface Binding {
  readonly service: string;
  readonly operation: Operation;
  /** Schemas that exist already, of an operation whose codecs are in a worker. */
  readonly described?: DescribedSchemas;
  /** Who wrote it, where that changes with what the view publishes; else who offered the view. */
  readonly contributor?: Contributor;
  /** Takes the implementation that a call keeps to its end. @throws Error when the service is not provided. */
  admit(services: Services): Admitted;
}

/** JSON Schemas as they are published. */
export interface DescribedSchemas {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>> | undefined;
}

export interface Admitted {
  /** Parses; the service is not called yet. */
  parse(payload: unknown): Parsed;
}

export type Parsed =
  | { readonly ok: true; run(context: CallContext): Promise<Encodable> }
  | { readonly ok: false; readonly error: z.ZodError };

/** A success value; encoding is a step of its own because its failure is another one than the call's. */
export interface Encodable {
  /** The wire side of the value. @throws when the value does not fit its contract. */
  encode(): unknown;
}

/** The annotation that makes an operation publishable. */
export const toolAnnotation = new AnnotationKey<ToolAnnotation>('mcp/tool');
