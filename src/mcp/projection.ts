/** How contracts become tools: the annotation a tool needs, and the binding of an operation to a service. */
import { fromEvent, isObservable, lastValueFrom, type Observable, takeUntil } from 'rxjs';
import { z } from 'zod';
import type { Caller } from '../events/types.js';
import { AnnotationKey, type Operation, type ServiceKey, type Services } from './contract.js';

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
  /** Takes the implementation that a call keeps to its end. @throws Error when the service is not provided. */
  admit(services: Services): Admitted;
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

type Answer<T> = T | Promise<T> | Observable<T>;

export const Projection = {
  /** The annotation that makes an operation publishable. */
  Annotation: new AnnotationKey<ToolAnnotation>('mcp/tool'),

  /** Binds an operation to a service. A callback that does not fit the contract does not compile. */
  operation<T, P extends z.ZodType, S extends z.ZodType, E extends z.ZodType>(
    service: ServiceKey<T>,
    operation: Operation<P, S, E>,
    call: (service: T, payload: z.output<P>, context: CallContext) => Answer<z.output<S>>,
  ): Binding {
    return {
      service: service.name,
      operation,
      admit(services) {
        const implementation = services.get(service);
        return {
          parse(payload) {
            const parsed = operation.payload.safeParse(payload);
            if (!parsed.success) return { ok: false, error: parsed.error };
            return {
              ok: true,
              async run(context) {
                const value = await settle(call(implementation, parsed.data, context), context.signal);
                return { encode: () => z.encode(operation.success, value) };
              },
            };
          },
        };
      },
    };
  },
};

/** The last value of a stream; an abort unsubscribes from it. */
async function settle<T>(answer: Answer<T>, signal: AbortSignal): Promise<T> {
  if (!isObservable(answer)) return answer;
  const aborted = fromEvent(signal, 'abort');
  return lastValueFrom(answer.pipe(takeUntil(aborted)));
}
