/** The plugins of MINI_APP_PLUGINS: loaded, applied in order of need, reported. One that fails stops nobody else. */
import type { Logger } from '../log.js';
import { within } from '../within.js';
import { importPlugins } from './import-plugin.js';
import type { Plugin } from './plugin.js';
import type { PluginHost } from './plugin-host.js';
import type { PluginSpec } from './plugin-spec.js';
import { PluginFailure, type PluginStatus, wordsFor } from './plugin-status.js';

/** A module has this long to load, and a plugin to be applied, in milliseconds. */
const startBoundMs = 10_000;

export interface LoadOptions {
  readonly host: PluginHost;
  readonly log: Logger;
  readonly cwd: string;
  /** Starts a plugin that runs in a worker; resolves when its view is published. */
  readonly startWorker: (spec: PluginSpec) => Promise<Pick<Plugin, 'name' | 'version'>>;
}

interface Pending {
  readonly spec: PluginSpec;
  readonly plugin: Plugin;
}

export class LoadedPlugins {
  readonly #statuses = new Map<object, PluginStatus>();

  constructor(private readonly options: LoadOptions) {}

  /** In the order in which they were configured. */
  get statuses(): readonly PluginStatus[] {
    return [...this.#statuses.values()];
  }

  /** Never rejects: what fails is logged and reported. */
  async load(specs: readonly PluginSpec[]): Promise<void> {
    for (const spec of specs) this.#statuses.set(spec, { plugin: spec.shown, state: 'loading' });
    const loaded = await Promise.all(specs.map((spec) => this.#load(spec)));
    await this.#applyAll(loaded.flat());
  }

  async #load(spec: PluginSpec): Promise<Pending[]> {
    try {
      if (spec.runs === 'worker') {
        this.#running(spec, await this.options.startWorker(spec));
        return [];
      }
      const plugins = await inTime(importPlugins(spec.module, this.options.cwd), 'its module did not load in time');
      this.#statuses.delete(spec);
      return plugins.map((plugin) => {
        this.#statuses.set(plugin, { ...named(plugin), state: 'loading' });
        return { spec, plugin };
      });
    } catch (error) {
      this.#failed(spec, { name: spec.shown }, error);
      return [];
    }
  }

  /** In the listed order, but a plugin waits for the services that another one provides. */
  async #applyAll(pending: Pending[]): Promise<void> {
    let waiting = pending;
    for (;;) {
      const next = waiting.find(({ plugin }) => this.options.host.missingOf(plugin) === undefined);
      if (next === undefined) break;
      waiting = waiting.filter((other) => other !== next);
      await this.#apply(next.plugin);
    }
    for (const { plugin } of waiting) {
      const missing = this.options.host.missingOf(plugin);
      this.#failed(plugin, plugin, new PluginFailure(`it needs the service '${missing}', which nobody provides`));
    }
  }

  async #apply(plugin: Plugin): Promise<void> {
    const started = this.options.host.start(plugin);
    try {
      await inTime(started, 'it was not applied in time');
      this.#running(plugin, plugin);
    } catch (error) {
      // One that comes too late is undone: it was reported as failed.
      started.then((scope) => scope.dispose()).catch(() => undefined);
      this.#failed(plugin, plugin, error);
    }
  }

  #running(key: object, plugin: Pick<Plugin, 'name' | 'version'>): void {
    this.#statuses.set(key, { ...named(plugin), state: 'running' });
    this.options.log.info('plugin started', { plugin: plugin.name, version: plugin.version });
  }

  #failed(key: object, plugin: Pick<Plugin, 'name' | 'version'>, error: unknown): void {
    this.#statuses.set(key, { ...named(plugin), state: 'failed', error: wordsFor(error) });
    this.options.log.error('plugin failed to start', { plugin: plugin.name, error });
  }
}

function named({ name, version }: Pick<Plugin, 'name' | 'version'>): Pick<PluginStatus, 'plugin' | 'version'> {
  return { plugin: name, ...(version === undefined ? {} : { version }) };
}

async function inTime<T>(work: Promise<T>, late: string): Promise<T> {
  work.catch(() => undefined);
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  if (!(await within(settled, startBoundMs))) throw new PluginFailure(late);
  return work;
}
