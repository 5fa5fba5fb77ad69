/** How contracts become tools: the binding of an operation to a service, and its publication. */
import { fromEvent, isObservable, lastValueFrom, type Observable, takeUntil } from 'rxjs';
import { z } from 'zod';
import { type Binding, type CallContext, toolAnnotation } from './binding.js';
import type { Operation, ServiceKey } from './contract.js';
import { currentScope } from './plugins/current-scope.js';
import type { ViewController } from './view-controller.js';

type Answer<T> = T | Promise<T> | Observable<T>;

export const Projection = {
  /** The annotation that makes an operation publishable. */
  Annotation: toolAnnotation,

  /**
   * Publishes a view for the plugin that is being applied, and resolves with its controller (P-21).
   * @param name stable, such as `public/forecast-tools`: approvals are kept under it.
   * @throws ProjectionError with every reason at once, ProjectionConflict when the view or a tool name has a live owner.
   */
  offer(name: string, bindings: readonly Binding[]): Promise<ViewController> {
    return currentScope().offer(name, bindings);
  },

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
