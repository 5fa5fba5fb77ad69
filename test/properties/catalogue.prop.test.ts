/** Random interleavings of publishing, withdrawing, calling and cancelling. */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { CallContext } from '../../src/mcp/binding.js';
import { callTool } from '../../src/mcp/call.js';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Contract, ServiceKey, Services } from '../../src/mcp/contract.js';
import { createLogger } from '../../src/mcp/log.js';
import { Projection } from '../../src/mcp/projection.js';
import { ProjectionConflict } from '../../src/mcp/projection-error.js';
import type { ViewController } from '../../src/mcp/view-controller.js';
import { annotation } from '../helpers/demo-view.js';
import { propertyRuns } from '../helpers/property-runs.js';

const key = new ServiceKey<Run>('test/run');
const caller = { actor: 'tester', origin: { tool: 'x', session: 's' } };
const contract = Contract.operation('test/Wait', 1, { payload: z.object({}), success: z.string() });

const step = fc.oneof(
  fc.record({ do: fc.constant('offer' as const), view: fc.nat(2), version: fc.nat(9) }),
  fc.record({ do: fc.constant('dispose' as const), view: fc.nat(2) }),
  fc.record({ do: fc.constant('call' as const), view: fc.nat(2) }),
  fc.record({ do: fc.constant('cancel' as const), call: fc.nat(20) }),
  fc.record({ do: fc.constant('finish' as const), call: fc.nat(20) }),
  fc.record({ do: fc.constant('turn' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Admitted {
  readonly version: string;
  finish(): void;
  finalised: number;
}

/** One catalogue, the calls that reached the service, and how every call ended. */
class Run {
  readonly catalogue = new Catalogue(new Services().provide(key, this), createLogger({ write: () => undefined }));
  readonly controllers: (ViewController | undefined)[] = [];
  readonly disposals: Promise<void>[] = [];
  readonly cancels: AbortController[] = [];
  readonly calls: Promise<void>[] = [];
  readonly admitted: Admitted[] = [];
  readonly results: string[] = [];
  ended = 0;

  take(next: Step): void | Promise<void> {
    if (next.do === 'turn') return turn();
    if (next.do === 'offer') return this.offer(next.view, String(next.version));
    if (next.do === 'dispose') return this.dispose(next.view);
    if (next.do === 'call') return this.call(next.view);
    if (next.do === 'cancel') return pick(this.cancels, next.call)?.abort();
    return pick(this.admitted, next.call)?.finish();
  }

  async offer(view: number, version: string): Promise<void> {
    const binding = Projection.operation(
      key,
      contract.annotate(Projection.Annotation, annotation(`wait_${view}`, { description: version })),
      (run, _payload, context) => run.wait(version, context),
    );
    try {
      this.controllers[view] = await this.catalogue.offer(`view/${view}`, [binding]);
    } catch (error) {
      expect(error).toBeInstanceOf(ProjectionConflict);
    }
  }

  dispose(view: number): void {
    const controller = this.controllers[view];
    if (controller === undefined) return;
    this.controllers[view] = undefined;
    this.disposals.push(controller.dispose());
  }

  call(view: number): void {
    const cancel = new AbortController();
    this.cancels.push(cancel);
    const described = this.catalogue.snapshot.tools.get(`wait_${view}`)?.annotation.description;
    const end = (result: string) => {
      this.ended++;
      if (result !== 'failed') expect(result).toBe(described);
      this.results.push(result);
    };
    const request = { name: `wait_${view}`, arguments: {}, caller, signal: cancel.signal };
    const called = callTool(this.catalogue, request).then(
      (result) => end(String((result.structuredContent as { value?: unknown } | undefined)?.value)),
      () => end('failed'),
    );
    this.calls.push(called);
  }

  wait(version: string, context: CallContext): Promise<string> {
    return new Promise((resolve) => {
      const admitted: Admitted = { version, finish: () => resolve(version), finalised: 0 };
      context.defer(() => {
        admitted.finalised++;
      });
      this.admitted.push(admitted);
    });
  }
}

/** Counted from the newest, so that most picks hit something that is still going on. */
function pick<T>(items: readonly T[], index: number): T | undefined {
  return items.length === 0 ? undefined : items.at(-1 - (index % items.length));
}

/** Random runs seldom let a call answer; this one always does. */
const answeredRun: Step[] = [
  { do: 'offer', view: 0, version: 1 },
  { do: 'call', view: 0 },
  { do: 'turn' },
  { do: 'finish', call: 0 },
  { do: 'turn' },
];

it('ends every call once on the version it began with, runs finalisers once, keeps one owner of a name', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const run = new Run();
      const snapshots: number[] = [];
      run.catalogue.snapshots$.subscribe((snapshot) => {
        snapshots.push(snapshot.revision);
        for (const tool of snapshot.tools.values()) expect(snapshot.views.get(tool.view.name)).toBe(tool.view);
      });
      for (const next of steps) await run.take(next);
      await run.catalogue.stop();
      await Promise.all([...run.calls, ...run.disposals]);
      answered += run.results.filter((result) => result !== 'failed').length;
      expect(run.ended).toBe(run.calls.length);
      expect(run.admitted.map((call) => call.finalised)).toEqual(run.admitted.map(() => 1));
      expect(snapshots).toEqual(snapshots.map((_, index) => index));
    }),
    { ...propertyRuns(60), examples: [[answeredRun]] },
  );
  expect(answered, 'calls that ended with their own answer').toBeGreaterThan(0);
});
