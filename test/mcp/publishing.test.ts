/** Publishing, changing and withdrawing views (P-21 to P-28, P-31). */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { config as rxjs } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { Binding } from '../../src/mcp/binding.js';
import { ProjectionConflict, ProjectionError } from '../../src/mcp/projection-error.js';
import type { ViewRevision } from '../../src/mcp/publication.js';
import { openPolicy, type PublicationPolicy } from '../../src/mcp/publication.js';
import { gate, key, smallCatalogue, tool } from '../helpers/small-catalogue.js';

const always = () => true;
const described = (name: string, description: string) => tool(name, () => description, { annotation: { description } });

async function offered(...bindings: Binding[]) {
  const small = smallCatalogue();
  const controller = await small.catalogue.offer('view', bindings.length === 0 ? [tool('a')] : bindings);
  const names = () => [...small.catalogue.snapshot.tools.keys()];
  return { ...small, controller, names };
}

/** Records nothing and lets a test decide when, or whether, a record succeeds. */
function policyOf(record: PublicationPolicy['record']): PublicationPolicy {
  return { ...openPolicy, record };
}

describe('an update', () => {
  it('publishes other bindings of the same view as the next revision (P-21, P-22)', async () => {
    const { controller, names, call } = await offered(tool('a'), tool('b'));
    expect(controller.revision).toBe(1);
    await controller.update([tool('b'), tool('c')]);
    expect(controller.revision).toBe(2);
    expect(names()).toEqual(['b', 'c']);
    expect((await call('c')).structuredContent).toEqual({ value: 'c' });
    await expect(call('a')).rejects.toMatchObject({ code: -32602 });
  });

  it('leaves the other views as they are, and its own where it stands in the list', async () => {
    const { catalogue, controller, names } = await offered(tool('a'));
    await catalogue.offer('other', [tool('x')]);
    const other = catalogue.snapshot.views.get('other');
    await controller.update([tool('b')]);
    expect(catalogue.snapshot.views.get('other')).toBe(other);
    expect(names()).toEqual(['b', 'x']);
  });

  it('that is refused keeps the old revision, and names every reason', async () => {
    const { controller, catalogue } = await offered();
    const before = catalogue.snapshot;
    const bad = [described('a', ' '), tool('b', undefined, { version: 0 })];
    await expect(controller.update(bad)).rejects.toMatchObject({ problems: [{}, {}] });
    expect(catalogue.snapshot).toBe(before);
    expect(controller.history).toHaveLength(1);
  });

  it('to a name of another view is a conflict that names both (P-5, P-31)', async () => {
    const { controller, catalogue, names } = await offered();
    const other = await catalogue.offer('other', [tool('x')]);
    await expect(controller.update([tool('x')])).rejects.toThrow(/'x' is claimed by 'other' and by 'view'/);
    expect(names()).toEqual(['a', 'x']);
    await other.dispose();
    await controller.update([tool('x')]);
    expect(names()).toEqual(['x']);
  });

  it('of two that race for a new name the first has it, until it fails', async () => {
    const { controller, catalogue, names } = await offered();
    const other = await catalogue.offer('other', [tool('x')]);
    const wait = gate();
    const first = controller.updateAfter(() => wait.opened, [tool('new')], always);
    const action = vi.fn();
    await expect(other.updateAfter(action, [tool('new')], always)).rejects.toBeInstanceOf(ProjectionConflict);
    expect(action).not.toHaveBeenCalled();
    await expect(catalogue.offer('third', [tool('a')])).rejects.toBeInstanceOf(ProjectionConflict);
    wait.fail(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await other.update([tool('new')]);
    expect(names()).toEqual(['a', 'new']);
  });

  it('lets calls end on the binding and the service they began with (P-26)', async () => {
    const wait = gate();
    const slow = (text: string) =>
      tool('a', async (service) => {
        await wait.opened;
        return `${text} ${service}`;
      });
    const { controller, call, services } = await offered(slow('v1'));
    const old = call('a');
    await controller.update([slow('v2')]);
    services.provide(key, 'another');
    const current = call('a');
    wait.open();
    expect((await old).structuredContent).toEqual({ value: 'v1 service' });
    expect((await current).structuredContent).toEqual({ value: 'v2 another' });
  });
});

describe('an update after an action', () => {
  it('is checked before the action starts (P-22)', async () => {
    const { controller } = await offered();
    const action = vi.fn();
    await expect(controller.updateAfter(action, [tool('bad name')], always)).rejects.toBeInstanceOf(ProjectionError);
    expect(action).not.toHaveBeenCalled();
  });

  it('publishes what is accepted, and returns the outcome either way (P-22)', async () => {
    const { controller, names } = await offered();
    expect(
      await controller.updateAfter(
        () => 'refused',
        [tool('b')],
        (it) => it === 'accepted',
      ),
    ).toBe('refused');
    expect([names(), controller.revision]).toEqual([['a'], 1]);
    expect(
      await controller.updateAfter(
        async () => 'accepted',
        [tool('b')],
        (it) => it === 'accepted',
      ),
    ).toBe('accepted');
    expect([names(), controller.revision]).toEqual([['b'], 2]);
  });

  it('does not take a promise for an acceptance', async () => {
    const { controller, names } = await offered();
    // @ts-expect-error plain JavaScript may do this
    await controller.updateAfter(always, [tool('b')], async () => false);
    expect(names()).toEqual(['a']);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no')), always],
    [
      'throws',
      () => {
        throw new Error('no');
      },
      always,
    ],
    [
      'cannot be judged',
      () => 'x',
      () => {
        throw new Error('no');
      },
    ],
  ])('that %s keeps the old view and its names (P-22)', async (_how, action, accepted) => {
    const { controller, catalogue, call } = await offered();
    const before = catalogue.snapshot;
    await expect(controller.updateAfter<unknown>(action, [tool('b')], accepted)).rejects.toThrow('no');
    expect(catalogue.snapshot).toBe(before);
    expect((await call('a')).structuredContent).toEqual({ value: 'a' });
    await catalogue.offer('other', [tool('b')]);
    await controller.update([tool('c')]);
  });

  it('fails at once while another runs, before its action starts (P-24)', async () => {
    const { controller, names } = await offered();
    const wait = gate();
    const first = controller.updateAfter(() => wait.opened, [tool('b')], always);
    const action = vi.fn();
    await expect(controller.updateAfter(action, [tool('c')], always)).rejects.toThrow(/another action/);
    await expect(controller.update([tool('c')])).rejects.toBeInstanceOf(ProjectionError);
    expect(action).not.toHaveBeenCalled();
    wait.open();
    await first;
    expect(names()).toEqual(['b']);
    await controller.update([tool('c')]);
  });

  it('is not lost with its promise, and its failure ends nothing (P-23)', async () => {
    const { controller, names, lines } = await offered();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    void controller.updateAfter(turn, [tool('b')], always);
    await expect.poll(names).toEqual(['b']);
    await turn();
    void controller.updateAfter(() => Promise.reject(new Error('dropped')), [tool('c')], always);
    void controller.update([tool('bad name')]);
    await expect.poll(() => lines.join()).toMatch(/an action of a view failed .*dropped/);
    await turn();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(names()).toEqual(['b']);
  });

  it('ends with its owner: told by its signal, it publishes nothing, and names stay taken to the end (P-23, P-28)', async () => {
    const held = gate();
    const { controller, catalogue, names, call } = await offered(
      tool('a', (_service, _payload, context) => {
        context.defer(() => held.opened);
        return new Promise(() => undefined);
      }),
    );
    const running = call('a');
    const ended = expect(running).rejects.toThrow('withdrawn');
    let aborted = false;
    const action = (signal: AbortSignal) =>
      new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          resolve('accepted');
        });
      });
    const update = expect(controller.updateAfter(action, [tool('b')], always)).rejects.toThrow(/withdrawn/);
    const disposed = controller.dispose();
    expect([aborted, names()]).toEqual([true, []]);
    await update;
    await expect(catalogue.offer('other', [tool('a')])).rejects.toBeInstanceOf(ProjectionConflict);
    await expect(controller.update([tool('c')])).rejects.toThrow(/withdrawn/);
    held.open();
    await ended;
    await disposed;
    expect(names()).toEqual([]);
    await catalogue.offer('other', [tool('a'), tool('b')]);
  });
});

describe('a record', () => {
  it('comes before anybody sees the revision (P-34)', async () => {
    const { controller, catalogue, names } = await offered();
    const wait = gate();
    catalogue.governBy(policyOf(() => wait.opened));
    const update = controller.update([tool('b')]);
    await turn();
    expect([names(), controller.revision]).toEqual([['a'], 1]);
    wait.open();
    await update;
    expect([names(), controller.revision]).toEqual([['b'], 2]);
  });

  it('that fails keeps the old view and frees the new names', async () => {
    const { controller, catalogue, call } = await offered();
    const before = catalogue.snapshot;
    catalogue.governBy(policyOf(() => Promise.reject(new Error('disk full'))));
    await expect(controller.update([tool('b')])).rejects.toThrow('disk full');
    await expect(catalogue.offer('new', [tool('c')])).rejects.toThrow('disk full');
    expect(catalogue.snapshot).toBe(before);
    expect(controller.history).toHaveLength(1);
    expect((await call('a')).structuredContent).toEqual({ value: 'a' });
    catalogue.governBy(openPolicy);
    await catalogue.offer('new', [tool('b'), tool('c')]);
  });

  it('during which the owner ends is not published', async () => {
    const { controller, catalogue, names } = await offered();
    const wait = gate();
    const abandoned = vi.fn();
    catalogue.governBy({ ...policyOf(() => wait.opened), abandoned });
    const update = expect(controller.update([tool('b')])).rejects.toThrow(/withdrawn/);
    await turn();
    const disposed = controller.dispose();
    wait.open();
    await update;
    await disposed;
    expect(names()).toEqual([]);
    expect(abandoned).toHaveBeenCalledOnce();
  });
});

describe('history', () => {
  it('keeps the last 32 revisions, each starting where the one before ended (P-27)', async () => {
    const { controller } = await offered(described('a', 'text 1'));
    const told: ViewRevision[] = [];
    controller.changed$.subscribe((revision) => told.push(revision));
    for (let index = 2; index <= 40; index++) await controller.update([described('a', `text ${index}`)]);
    expect(controller.history.map(({ revision }) => revision)).toEqual(Array.from({ length: 32 }, (_, i) => i + 9));
    for (const [index, { before }] of controller.history.slice(1).entries())
      expect(before).toBe(controller.history[index]?.after);
    expect(told.slice(-32)).toEqual(controller.history);
    expect(controller.history.at(-1)).toMatchObject({
      view: 'view',
      revision: 40,
      at: expect.any(Number),
      before: [{ description: 'text 39' }],
      after: [
        {
          service: 'test/service',
          operation: 'test/a',
          version: 1,
          name: 'a',
          title: 'Title of a',
          description: 'text 40',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
          output: 'json',
        },
      ],
    });
  });

  it('is in the snapshot that shows the tools, for every listener (P-25)', async () => {
    const { controller, catalogue } = await offered();
    const seen: unknown[] = [];
    catalogue.snapshots$.subscribe(({ views }) => {
      seen.push([views.get('view')?.revision, views.get('view')?.history.length, controller.revision]);
    });
    await controller.update([tool('b')]);
    expect(seen).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
  });
});

describe('a listener', () => {
  it('that throws breaks nothing (P-25)', async () => {
    const failures: unknown[] = [];
    const usual = rxjs.onUnhandledError;
    rxjs.onUnhandledError = (error) => void failures.push(error);
    const { controller, catalogue, names } = await offered();
    const fail = () => {
      throw new Error('listener');
    };
    let later = 0;
    catalogue.snapshots$.subscribe({ next: fail });
    catalogue.listChanged$.subscribe({ next: fail });
    controller.changed$.subscribe({ next: fail });
    controller.changed$.subscribe(() => later++);
    await controller.update([tool('b')]);
    await controller.update([tool('c')]);
    expect([names(), controller.revision, later]).toEqual([['c'], 3, 2]);
    await expect.poll(() => failures.length).toBeGreaterThanOrEqual(4);
    await controller.dispose();
    await delay(5);
    rxjs.onUnhandledError = usual;
  });

  it('that publishes itself shows nobody an older snapshot after a newer', async () => {
    const { controller, catalogue } = await offered();
    catalogue.snapshots$.subscribe(({ tools }) => {
      if (tools.has('b') && !tools.has('x')) void catalogue.offer('nested', [tool('x')]);
    });
    const seen: number[] = [];
    catalogue.snapshots$.subscribe(({ revision }) => seen.push(revision));
    await controller.update([tool('b')]);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(catalogue.snapshot.revision);
  });
});

describe('a view', () => {
  it('has one live owner, which a conflict names; disposal frees the name (P-31)', async () => {
    const { catalogue } = smallCatalogue();
    const contributor = (plugin: string) => ({ contributor: { plugin, version: undefined } });
    const first = await catalogue.offer('public/forecast', [tool('a')], contributor('one'));
    const second = catalogue.offer('public/forecast', [tool('b')], contributor('two'));
    await expect(second).rejects.toMatchObject({ kind: 'view', owners: ['one', 'two'] });
    await first.dispose();
    const third = await catalogue.offer('public/forecast', [tool('b')], contributor('two'));
    expect([third.revision, third.history.length]).toEqual([1, 1]);
  });

  it('is withdrawn in order: tools, calls in flight, notification, name (P-28)', async () => {
    const events: string[] = [];
    const held = gate();
    const { controller, catalogue, names, call } = await offered(
      tool('a', (_service, _payload, context) => {
        context.defer(async () => {
          await held.opened;
          events.push('call ended');
        });
        return new Promise(() => undefined);
      }),
    );
    catalogue.listChanged$.subscribe(() => events.push('notified'));
    const running = expect(call('a')).rejects.toThrow();
    const disposed = controller.dispose();
    expect(names()).toEqual([]);
    await turn();
    expect(events).toEqual([]);
    await expect(catalogue.offer('view', [tool('b')])).rejects.toBeInstanceOf(ProjectionConflict);
    held.open();
    await Promise.all([running, disposed, controller.dispose()]);
    expect(events).toEqual(['call ended', 'notified']);
    await catalogue.offer('view', [tool('b')]);
  });

  it('may have ten thousand tools, listed and changed without a cost that grows with their square', async () => {
    const { catalogue, call } = smallCatalogue('warn');
    catalogue.listChanged$.subscribe(() => undefined);
    const many = Array.from({ length: 10_000 }, (_, index) => tool(`tool_${index}`));
    const started = performance.now();
    const controller = await catalogue.offer('many', many);
    await controller.update(many);
    expect((await call('tool_9999')).structuredContent).toEqual({ value: 'tool_9999' });
    await controller.dispose();
    // A square of ten thousand would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('a view of thousands of tools', () => {
  const many = Array.from({ length: 3_000 }, (_, index) => tool(`t${index}`));

  it('lets others have their turn while it is checked, and is then published whole', async () => {
    const { catalogue } = smallCatalogue();
    let isPublished = false;
    const offering = catalogue.offer('many', many).then((controller) => {
      isPublished = true;
      return controller;
    });
    await expect(catalogue.offer('many', [tool('x')])).rejects.toThrow(ProjectionConflict);
    let turns = 0;
    for (; !isPublished; turns++) {
      expect(catalogue.snapshot.tools.size).toBe(0);
      await turn();
    }
    expect(turns).toBeGreaterThan(3);
    const controller = await offering;
    expect(catalogue.snapshot.tools.size).toBe(3_000);
    await controller.dispose();
  });

  it('is refused when a name was taken meanwhile', async () => {
    const { catalogue } = smallCatalogue();
    const offering = catalogue.offer('many', [...many.slice(0, 2_000), tool('late')]);
    await catalogue.offer('first', [tool('late')]);
    await expect(offering).rejects.toThrow(/'late' is claimed by 'first'/);
    expect([...catalogue.snapshot.tools.keys()]).toEqual(['late']);
  });
});
