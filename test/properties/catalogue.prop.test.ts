/** Random interleavings of publishing, changing, withdrawing, approving, calling and cancelling (P-41). */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { isStoreError, StoreError } from '../../src/errors.js';
import type { Binding, CallContext } from '../../src/mcp/binding.js';
import { callTool } from '../../src/mcp/call.js';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Contract, ServiceKey, Services } from '../../src/mcp/contract.js';
import { createLogger } from '../../src/mcp/log.js';
import { Projection } from '../../src/mcp/projection.js';
import { ProjectionConflict, ProjectionError } from '../../src/mcp/projection-error.js';
import type { Publication, PublicationPolicy } from '../../src/mcp/publication.js';
import type { Snapshot, View } from '../../src/mcp/view.js';
import type { ViewController } from '../../src/mcp/view-controller.js';
import { annotation } from '../helpers/demo-view.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { gate } from '../helpers/small-catalogue.js';

const key = new ServiceKey<Run>('test/run');
const caller = { actor: 'tester', origin: { tool: 'x', session: 's' } };
const viewCount = 3;

/** Tool names are shared by the views, so that they meet; the description tells whose, and of which publication. */
const shape = { view: fc.nat(viewCount - 1), tools: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }) };
const outcome = fc.constantFrom('accepted', 'refused', 'failing', 'throwing');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('offer' as const), ...shape }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('update' as const), ...shape }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('updateAfter' as const), ...shape, outcome, slow: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dispose' as const), view: shape.view }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('call' as const), tool: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), call: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('finish' as const), call: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('act' as const), action: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('approve' as const), view: shape.view }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), view: shape.view }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('records' as const), fail: fc.boolean(), slow: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('burst' as const), view: shape.view, updates: fc.nat(40) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** `view/0` is managed: its newest record is its claim, and calls are admitted under an approved one only. */
class Approvals implements PublicationPolicy {
  readonly claims = new Map<string, string>();
  readonly approved = new Set<string>();
  fails = false;
  isSlow = false;

  record({ revision, digest }: Publication): Promise<void> | undefined {
    const claim = () => {
      if (this.fails) throw new Error('not recorded');
      this.claims.set(revision.view, digest);
    };
    return this.isSlow ? turn().then(claim) : void claim();
  }

  published(): void {}

  abandoned(): void {}

  withdrawn(): void {}

  admit({ name, digest }: { readonly name: string; readonly digest: string }): void {
    if (name !== 'view/0' || this.admits(digest)) return;
    throw new StoreError('APPROVAL_REQUIRED', { view: name, digest });
  }

  admits(digest: string): boolean {
    return this.approved.has(digest) && this.claims.get('view/0') === digest;
  }
}

interface Admitted {
  readonly label: string;
  readonly finish: (label: string) => void;
  finalised: number;
}

/** One catalogue, the calls that reached the service, and how every call ended. */
class Run {
  readonly approvals = new Approvals();
  readonly catalogue = new Catalogue(new Services().provide(key, this), createLogger({ write: () => undefined }));
  readonly controllers: (ViewController | undefined)[] = [];
  readonly pending: Promise<unknown>[] = [];
  readonly actions: (() => void)[] = [];
  readonly cancels: AbortController[] = [];
  readonly admitted: Admitted[] = [];
  readonly ends: ('answered' | 'refused' | 'failed')[] = [];
  calls = 0;
  #publications = 0;
  readonly #problems: unknown[] = [];

  constructor() {
    this.catalogue.governBy(this.approvals);
    // What a listener throws does not come back here.
    this.catalogue.snapshots$.subscribe((snapshot) => {
      try {
        checkSnapshot(snapshot);
      } catch (error) {
        this.#problems.push(error);
      }
    });
  }

  async take(next: Step): Promise<void> {
    if (next.do === 'turn') await turn();
    else if (next.do === 'offer') this.#offer(next.view, next.tools);
    else if (next.do === 'update') this.#update(next.view, next.tools);
    else if (next.do === 'updateAfter') this.#updateAfter(next);
    else if (next.do === 'burst') for (let n = 0; n < next.updates; n++) await this.#update(next.view, [next.view]);
    else if (next.do === 'dispose') this.#dispose(next.view);
    else if (next.do === 'call') this.#call(`tool_${next.tool}`);
    else if (next.do === 'cancel') pick(this.cancels, next.call)?.abort();
    else if (next.do === 'finish') finish(pick(this.admitted, next.call));
    else if (next.do === 'act') pick(this.actions, next.action)?.();
    else if (next.do === 'records') Object.assign(this.approvals, { fails: next.fail, isSlow: next.slow });
    else this.#decide(next.do, next.view);
  }

  /** Ends everything that is still going on. */
  async end(): Promise<void> {
    for (const act of this.actions) act();
    await this.catalogue.stop();
    await Promise.all(this.pending);
    if (this.#problems.length > 0) throw this.#problems[0];
  }

  #offer(view: number, tools: readonly number[]): void {
    const isTaken = this.controllers[view] !== undefined;
    const offered = this.catalogue.offer(`view/${view}`, this.#bindings(view, tools)).then((controller) => {
      expect(isTaken, 'one live owner').toBe(false);
      this.controllers[view] = controller;
      checkHistory(controller);
    }, expectRefusal);
    this.pending.push(offered);
  }

  #update(view: number, tools: readonly number[]): Promise<void> {
    const controller = this.controllers[view];
    if (controller === undefined) return Promise.resolve();
    const updated = controller.update(this.#bindings(view, tools)).catch(expectRefusal);
    const checked = updated.then(() => checkHistory(controller));
    this.pending.push(checked);
    return checked;
  }

  #updateAfter({ view, tools, outcome, slow }: Extract<Step, { do: 'updateAfter' }>): void {
    const controller = this.controllers[view];
    if (controller === undefined) return;
    const wait = gate();
    this.actions.push(wait.open);
    const act = async () => {
      if (slow) await wait.opened;
      if (outcome === 'failing') throw new Error('the action failed');
      return outcome;
    };
    const throwing = () => {
      throw new Error('the action failed');
    };
    const action = outcome === 'throwing' ? throwing : act;
    const { revision } = controller;
    const updated = controller
      .updateAfter<string>(action, this.#bindings(view, tools), (it) => it === 'accepted')
      .then(
        (it) => {
          expect(['accepted', 'refused']).toContain(it);
          // No other action can have run between.
          expect(controller.revision).toBe(it === 'accepted' ? revision + 1 : revision);
        },
        (error) => {
          expectRefusal(error);
        },
      );
    this.pending.push(updated.then(() => checkHistory(controller)));
  }

  #dispose(view: number): void {
    const controller = this.controllers[view];
    if (controller === undefined) return;
    this.controllers[view] = undefined;
    this.pending.push(controller.dispose());
    expect(this.catalogue.snapshot.views.has(`view/${view}`), 'tools go first').toBe(false);
  }

  #decide(decision: 'approve' | 'revoke', view: number): void {
    const digest = this.catalogue.snapshot.views.get(`view/${view}`)?.digest;
    if (digest === undefined) return;
    if (decision === 'approve') this.approvals.approved.add(digest);
    else this.approvals.approved.delete(digest);
  }

  #call(name: string): void {
    const cancel = new AbortController();
    this.cancels.push(cancel);
    this.calls++;
    const tool = this.catalogue.snapshot.tools.get(name);
    const isClosed = tool?.view.name === 'view/0' && !this.approvals.admits(tool.view.digest);
    const before = this.admitted.length;
    const called = callTool(this.catalogue, { name, arguments: {}, caller, signal: cancel.signal }).then(
      (result) => {
        this.ends.push(result.isError === true ? 'refused' : 'answered');
        if (result.isError === true) expect(JSON.stringify(result)).toContain('APPROVAL_REQUIRED');
        else expect(result.structuredContent).toEqual({ value: tool?.annotation.description });
      },
      () => void this.ends.push('failed'),
    );
    // Admission is decided in the turn of the look-up.
    if (isClosed) expect(this.admitted).toHaveLength(before);
    this.pending.push(called);
  }

  #bindings(view: number, tools: readonly number[]): Binding[] {
    const publication = `view/${view} publication ${++this.#publications}`;
    return tools.map((number) => bindingOf(number, publication));
  }

  wait(label: string, context: CallContext): Promise<string> {
    return new Promise((resolve) => {
      const admitted: Admitted = { label, finish: resolve, finalised: 0 };
      context.defer(() => {
        admitted.finalised++;
      });
      this.admitted.push(admitted);
    });
  }
}

function bindingOf(number: number, label: string): Binding {
  const contract = Contract.operation(`test/Wait${number}`, 1, { payload: z.object({}), success: z.string() });
  const annotated = contract.annotate(Projection.Annotation, annotation(`tool_${number}`, { description: label }));
  return Projection.operation(key, annotated, (run, _payload, context) => run.wait(label, context));
}

function finish(call: Admitted | undefined): void {
  call?.finish(call.label);
}

function expectRefusal(error: unknown): void {
  const isKnown = error instanceof ProjectionConflict || error instanceof ProjectionError || isStoreError(error);
  if (!isKnown) expect(String(error)).toMatch(/not recorded|the action failed/);
}

/** The tools are those of the views, and a view's are all of one publication: the one that its history ends with. */
function checkSnapshot({ views, tools }: Snapshot): void {
  const labels = (view: View) => view.tools.map((tool) => tool.annotation.description);
  for (const tool of tools.values()) expect(views.get(tool.view.name)).toBe(tool.view);
  expect([...views.values()].flatMap(labels)).toEqual([...tools.values()].map((tool) => tool.annotation.description));
  for (const view of views.values()) {
    expect(new Set(labels(view)).size).toBe(1);
    expect(view.history.at(-1)?.after.map(({ description }) => description)).toEqual(labels(view));
    expect(view.history.at(-1)?.revision).toBe(view.revision);
  }
}

function checkHistory({ history }: ViewController): void {
  expect(history.length).toBeLessThanOrEqual(32);
  for (const [index, { revision, before }] of history.slice(1).entries()) {
    expect(revision).toBe((history[index]?.revision ?? 0) + 1);
    expect(before).toBe(history[index]?.after);
  }
}

/** Counted from the newest, so that most picks hit something that is still going on. */
function pick<T>(items: readonly T[], index: number): T | undefined {
  return items.length === 0 ? undefined : items.at(-1 - (index % items.length));
}

/** Random runs seldom come across these; they always happen. */
const examples: [Step[]][] = [
  [
    [
      { do: 'offer', view: 1, tools: [1] },
      { do: 'turn' },
      { do: 'call', tool: 1 },
      { do: 'burst', view: 1, updates: 40 },
      { do: 'finish', call: 0 },
      { do: 'turn' },
    ],
  ],
  [
    [
      { do: 'offer', view: 0, tools: [1] },
      { do: 'turn' },
      { do: 'approve', view: 0 },
      { do: 'call', tool: 1 },
      { do: 'update', view: 0, tools: [1, 2] },
      { do: 'turn' },
      { do: 'call', tool: 1 },
      { do: 'finish', call: 0 },
      { do: 'turn' },
    ],
  ],
];

it('shows whole publications only, keeps one owner, admits what is approved, ends every call once', async () => {
  const seen = { answered: 0, refused: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const run = new Run();
      const snapshots: number[] = [];
      run.catalogue.snapshots$.subscribe(({ revision }) => snapshots.push(revision));
      for (const next of steps) await run.take(next);
      await run.end();
      for (const end of run.ends) seen[end]++;
      expect(run.ends).toHaveLength(run.calls);
      expect(run.admitted.map((call) => call.finalised)).toEqual(run.admitted.map(() => 1));
      expect(snapshots).toEqual(snapshots.map((_, index) => index));
    }),
    { ...propertyRuns(150), examples },
  );
  for (const [end, count] of Object.entries(seen)) expect(count, `calls that were ${end}`).toBeGreaterThan(0);
});
