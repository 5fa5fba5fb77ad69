/** How contracts become tools: the binding of an operation to a service, and its publication. */
import { isObservable, type Observable } from 'rxjs';

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

  /**
   * Binds an operation to a service. A callback that does not fit the contract does not compile.
   * @param call answers with the success value, a promise of it, or a stream whose last value it is. What it throws is a
   * business error when the contract declares it, and so is an error of the store (`StoreError`) in every contract: it
   * reaches the client as it is. Anything else is a system error that shows nothing of its cause (P-12, P-13).
   */
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
                const value = await settle(call(implementation, parsed.data, context), context);
                return { encode: () => z.encode(operation.success, value) };
              },
            };
          },
        };
      },
    };
  },
};

async function settle<T>(answer: Answer<T>, context: CallContext): Promise<T> {
  return isObservable(answer) ? lastValueOf(answer, context.signal) : answer;
}

/** The last value of a stream; an abort unsubscribes from it. */
function lastValueOf<T>(stream: Observable<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let last: { readonly value: T } | undefined;
    const subscription = stream.subscribe({
      next: (value) => {
        last = { value };
      },
      error: reject,
      complete: () =>
        last === undefined ? reject(new Error('the stream ended without a value')) : resolve(last.value),
    });
    const leave = () => {
      try {
        subscription.unsubscribe();
        reject(signal.reason);
      } catch (error) {
        reject(error);
      }
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
