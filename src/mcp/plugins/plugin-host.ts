/** Applies plugins to a catalogue, and undoes what they did. */

import type { Binding } from '../binding.js';
import type { Catalogue, OfferOptions } from '../catalogue.js';
import type { ServiceKey } from '../contract.js';
import type { ViewController } from '../view-controller.js';
import { within } from '../within.js';
import { withScope, withScopeAtOnce } from './current-scope.js';
import { inTime } from './in-time.js';
import type { PluginDefinition, PluginScope } from './plugin.js';
import { PluginFailure } from './plugin-status.js';

/** A plugin has this long to be applied, in milliseconds. */
const applyBoundMs = 10_000;
/** What a plugin deferred has this long when it is disposed of, in milliseconds. */
const finaliserBoundMs = 5_000;

export class PluginHost {
  readonly #scopes = new Set<Scope>();

  constructor(private readonly catalogue: Catalogue) {}

  /**
   * Applies a plugin and resolves with its scope when `apply` has ended.
   * @param own the product's own plugin: its view is known to pass, and answers the bare value.
   * @throws Error when a service is missing, and whatever `apply` throws; then everything it did has been undone.
   */
  async start(plugin: PluginDefinition, own: Pick<OfferOptions, 'text' | 'trusted'> = {}): Promise<PluginScope> {
    const missing = this.missingOf(plugin);
    if (missing !== undefined) throw new PluginFailure(`it needs the service '${missing}', which nobody provides`);
    const isOwn = own.trusted === true;
    const contributor = isOwn ? undefined : { plugin: plugin.name, version: plugin.version };
    const scope: Scope = new Scope(this.catalogue, { ...own, contributor }, () => this.#scopes.delete(scope));
    this.#scopes.add(scope);
    try {
      if (isOwn) await withScopeAtOnce(scope, () => plugin.apply(scope));
      // What comes after the bound finds the scope disposed of.
      else
        await inTime(
          withScope(scope, async () => plugin.apply(scope)),
          applyBoundMs,
          'it was not applied in time',
        );
    } catch (error) {
      await scope.dispose();
      throw error;
    }
    return scope;
  }

  /** The name of a service that the plugin injects and nobody provides yet. */
  missingOf({ inject = [] }: PluginDefinition): string | undefined {
    return inject.find((key) => !this.catalogue.services.has(key))?.name;
  }

  /** Disposes of every plugin, the last one applied first. */
  async stop(): Promise<void> {
    for (const scope of [...this.#scopes].reverse()) await scope.dispose();
  }
}

class Scope implements PluginScope {
  readonly #controller = new AbortController();
  readonly #deferred: (() => unknown)[] = [];
  #disposed: Promise<void> | undefined;

  constructor(
    private readonly catalogue: Catalogue,
    private readonly options: OfferOptions,
    private readonly onDisposed: () => void,
  ) {}

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  defer(finaliser: () => void | Promise<void>): void {
    if (this.signal.aborted) void this.#run(finaliser);
    else this.#deferred.push(finaliser);
  }

  provide<T>(key: ServiceKey<T>, service: NoInfer<T>): void {
    this.signal.throwIfAborted();
    this.catalogue.services.provide(key, service);
    this.#deferred.push(() => this.catalogue.services.withdraw(key));
  }

  get<T>(key: ServiceKey<T>): T {
    return this.catalogue.services.get(key);
  }

  async offer(name: string, bindings: readonly Binding[]): Promise<ViewController> {
    this.signal.throwIfAborted();
    const controller = await this.catalogue.offer(name, bindings, this.options);
    this.#deferred.push(() => controller.dispose());
    // Disposed of while the view was being recorded: nobody would withdraw it.
    if (this.signal.aborted) await controller.dispose();
    this.signal.throwIfAborted();
    return controller;
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#undo();
    return this.#disposed;
  }

  async #undo(): Promise<void> {
    this.#controller.abort(new Error('the plugin was disposed of'));
    for (let finaliser = this.#deferred.pop(); finaliser !== undefined; finaliser = this.#deferred.pop()) {
      await this.#run(finaliser);
    }
    this.onDisposed();
  }

  async #run(finaliser: () => unknown): Promise<void> {
    const { log } = this.catalogue;
    const work = (async () => finaliser())().catch((error: unknown) =>
      log.warn('a finaliser of a plugin failed', { error }),
    );
    if (!(await within(work, finaliserBoundMs))) log.warn('a finaliser of a plugin still runs after its bound');
  }
}
