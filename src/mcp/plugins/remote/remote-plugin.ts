/** A plugin that runs in a worker: published through façades, started anew after a crash, changed for a newer version. */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Logger } from '../../log.js';
import type { ViewController } from '../../view-controller.js';
import { inTime } from '../in-time.js';
import type { PluginScope } from '../plugin.js';
import type { PluginHost } from '../plugin-host.js';
import { PluginFailure } from '../plugin-status.js';
import { facadeOf } from './facade.js';
import type { DescribedView, Description } from './messages.js';
import { RemoteWorker, type RemoteWorkerOptions } from './remote-worker.js';

export interface RemotePluginOptions extends RemoteWorkerOptions {
  readonly host: PluginHost;
  readonly log: Logger;
  /** Told when it is given up after too many crashes, in words fit for clients. */
  readonly onGivenUp: (words: string) => void;
}

/** A module has this long to load in its worker, in milliseconds. */
const startBoundMs = 10_000;
/** Crashes within a minute that are answered with a new start, after twice the wait each time. */
const mostRestarts = 5;
const firstWaitMs = 100;

/** One version of the module: its façades call this worker, or after a crash the one that took its place. */
interface Generation {
  worker: Promise<RemoteWorker>;
}

export class RemotePlugin {
  #present: Generation;
  /** Workers of versions before, or of one that was not taken, which end with the calls they still have. */
  readonly #retired = new Set<RemoteWorker>();
  #scopes: PluginScope[] = [];
  readonly #controllers = new Map<string, ViewController>();
  #crashes: number[] = [];
  #swap: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;

  private constructor(
    private readonly options: RemotePluginOptions,
    worker: RemoteWorker,
    private description: Description,
  ) {
    this.#present = { worker: Promise.resolve(worker) };
    this.#follow(worker);
  }

  /** Starts it and publishes its views. @throws PluginFailure, ProjectionError, ProjectionConflict, Error. */
  static async start(options: RemotePluginOptions): Promise<RemotePlugin> {
    const { worker, description } = await started(options);
    const plugin = new RemotePlugin(options, worker, description);
    try {
      await plugin.#publish();
      return plugin;
    } catch (error) {
      await plugin.stop();
      throw error;
    }
  }

  /** The first of the module's plugins: by it the module is known. */
  get named(): Description['plugins'][number] {
    return this.description.plugins[0] ?? { name: '' };
  }

  /**
   * Starts the module anew beside the running one and publishes it in its place; calls under way end where they are
   * (P-38). What fails leaves everything as it is. @throws as {@link start}; PluginFailure while another change runs.
   */
  async reload(): Promise<void> {
    if (this.#swap !== null) throw new PluginFailure('it is being changed already');
    this.#swap = this.#change();
    try {
      await this.#swap;
    } finally {
      this.#swap = null;
    }
  }

  /** Withdraws its views and ends its worker. Safe to call again: resolves when that is done. */
  stop(): Promise<void> {
    this.#stopped ??= this.#undo();
    return this.#stopped;
  }

  async #undo(): Promise<void> {
    for (const scope of this.#scopes.splice(0).reverse()) await scope.dispose();
    const worker = await this.#present.worker.catch(() => undefined);
    await Promise.all([worker, ...this.#retired].map((each) => each?.stop()));
  }

  async #publish(): Promise<void> {
    const { plugins, views } = this.description;
    for (const { name, version } of plugins) {
      const own = views.filter((view) => view.plugin === name);
      const apply = async (scope: PluginScope) => {
        for (const view of own)
          this.#controllers.set(view.name, await scope.offer(view.name, facade(view, this.#present)));
      };
      this.#scopes.push(await this.options.host.start({ name, version, apply }));
    }
  }

  async #change(): Promise<void> {
    const { worker, description } = await started(this.options);
    const changed = new Set<string>();
    try {
      if (this.#stopped !== null) throw new PluginFailure('it was stopped');
      assertSameViews(description, [...this.#controllers.keys()]);
      const next = { worker: Promise.resolve(worker) };
      for (const view of description.views) {
        await this.#changeView(view, next);
        changed.add(view.name);
      }
      this.#takeOver(next, worker, description);
    } catch (error) {
      await this.#takeBack(changed);
      // What it admitted while its views came one after the other ends with it.
      if (this.#stopped === null) this.#retire(worker);
      else await worker.stop();
      throw error;
    }
  }

  #takeOver(next: Generation, worker: RemoteWorker, description: Description): void {
    const before = this.#present;
    this.#present = next;
    this.description = description;
    this.#follow(worker);
    // Not waited for: one that is being started anew waits for this change.
    before.worker.then(
      (old) => this.#retire(old),
      () => undefined,
    );
  }

  #retire(worker: RemoteWorker): void {
    this.#retired.add(worker);
    void worker.ended.then(() => this.#retired.delete(worker));
    worker.retire();
  }

  /** All views of the module or none: those that went ahead come back, but for what was withdrawn meanwhile. */
  async #takeBack(changed: ReadonlySet<string>): Promise<void> {
    for (const view of this.description.views) {
      if (!changed.has(view.name)) continue;
      await this.#controllers
        .get(view.name)
        ?.update(facade(view, this.#present))
        .catch(() => undefined);
    }
  }

  /** The new worker is there already; the action is that it is still there when the view is about to change. */
  async #changeView(view: DescribedView, next: Generation): Promise<void> {
    const isAlive = async () => (await next.worker).isAlive;
    const accepted = await this.#controllers.get(view.name)?.updateAfter(isAlive, facade(view, next), Boolean);
    if (accepted === false) throw new PluginFailure('its new version ended at once');
  }

  #follow(worker: RemoteWorker): void {
    void worker.ended.then((why) => this.#ended(worker, why));
  }

  async #ended(worker: RemoteWorker, why: string): Promise<void> {
    const generation = this.#present;
    if (this.#stopped !== null || (await generation.worker.catch(() => null)) !== worker) return;
    this.options.log.error('the worker of a plugin ended', { plugin: this.named.name, why });
    generation.worker = this.#startAnew(generation);
    await generation.worker.catch((error: unknown) => this.#giveUp(generation, error));
  }

  async #startAnew(generation: Generation): Promise<RemoteWorker> {
    const now = performance.now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < 60_000), now];
    if (this.#crashes.length > mostRestarts) throw new PluginFailure('its worker ended again and again');
    await delay(firstWaitMs * 2 ** (this.#crashes.length - 1), undefined, { ref: false });
    const { worker, description } = await started(this.options);
    const moved = Promise.resolve(worker);
    try {
      if (await this.#isPresent(generation)) {
        assertSameViews(description, [...this.#controllers.keys()]);
        if (!isSame(description, this.description)) await this.#moveOn({ worker: moved }, worker, description);
      }
    } catch (error) {
      await worker.stop();
      throw error;
    }
    // The calls that waited were admitted to the version before: what they were told of is not what would run (P-26, P-33).
    if (this.#present !== generation) {
      if (this.#present.worker !== moved) await worker.stop();
      throw new PluginFailure('it has changed since the call was admitted');
    }
    this.#follow(worker);
    this.options.log.info('the worker of a plugin was started again', { plugin: this.named.name });
    return worker;
  }

  /** The module's file was changed after the worker that ended had read it. */
  async #moveOn(next: Generation, worker: RemoteWorker, description: Description): Promise<void> {
    for (const view of description.views) await this.#changeView(view, next);
    this.#takeOver(next, worker, description);
  }

  /** Whether nothing newer has taken its place; a change under way decides that first. */
  async #isPresent(generation: Generation): Promise<boolean> {
    await this.#swap?.catch(() => undefined);
    return generation === this.#present;
  }

  async #giveUp(generation: Generation, error: unknown): Promise<void> {
    if (!(await this.#isPresent(generation)) || this.#stopped !== null) return;
    this.options.log.error('a plugin in a worker is given up', { plugin: this.named.name, error });
    this.options.onGivenUp(error instanceof PluginFailure ? error.message : 'its worker could not be started again');
    // The calls that ended with the worker are answered before their view goes.
    await turn();
    await this.stop();
  }
}

async function started(options: RemoteWorkerOptions): Promise<{ worker: RemoteWorker; description: Description }> {
  const worker = new RemoteWorker(options);
  try {
    return { worker, description: await inTime(worker.description, startBoundMs, 'its module did not load in time') };
  } catch (error) {
    await worker.stop();
    throw error;
  }
}

/** Views that come or go belong to a new start of the server: approvals and owners are kept under their names. */
function assertSameViews({ views }: Description, names: readonly string[]): void {
  const given = new Set(views.map(({ name }) => name));
  if (given.size !== names.length || names.some((name) => !given.has(name)))
    throw new PluginFailure('its new version publishes other views; start the server anew');
}

function facade(view: DescribedView, generation: Generation) {
  return facadeOf(view, () => generation.worker);
}

function isSame(one: Description, other: Description): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
