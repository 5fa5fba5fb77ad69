/** The plugins of MINI_APP_PLUGINS: loaded, applied in order of need, reported. One that fails stops nobody else. */
import type { Logger } from '../log.js';
import { inOrderOfNeed } from './apply-in-order.js';
import { placeIn } from './blame.js';
import { importPlugins } from './import-plugin.js';
import { inTime } from './in-time.js';
import type { Plugin } from './plugin.js';
import type { PluginHost } from './plugin-host.js';
import type { PluginSpec } from './plugin-spec.js';
import { type PluginStatus, wordsFor } from './plugin-status.js';

/** A module has this long to load, in milliseconds. */
const startBoundMs = 10_000;

export interface LoadOptions {
  readonly host: PluginHost;
  readonly log: Logger;
  /** Starts a plugin that runs in a worker; resolves when its view is published. */
  readonly startWorker: (spec: PluginSpec, report: WorkerReport) => Promise<Pick<Plugin, 'name' | 'version'>>;
}

/** What becomes of a plugin in a worker later on. */
export interface WorkerReport {
  /** It runs, in a newer version or after a new start. */
  running(plugin: Pick<Plugin, 'name' | 'version'>): void;
  /** A newer version cannot be used; the one before it goes on. */
  kept(error: unknown): void;
  /** It was to be started once more, and could not. */
  failed(error: unknown): void;
  /** It runs no more. */
  gone(words: string): void;
}

export class LoadedPlugins {
  readonly #statuses = new Map<object, PluginStatus>();
  /** What stands for an entry: itself until its module is loaded, then the module's plugins. */
  readonly #entries = new Map<PluginSpec, readonly object[]>();

  constructor(private readonly options: LoadOptions) {}

  /** In the order in which they were configured. */
  get statuses(): readonly PluginStatus[] {
    const keys = [...this.#entries.values()].flat();
    return keys.flatMap((key) => this.#statuses.get(key) ?? []);
  }

  /** Never rejects: what fails is logged and reported. */
  async load(specs: readonly PluginSpec[]): Promise<void> {
    for (const spec of specs) {
      this.#entries.set(spec, [spec]);
      this.#statuses.set(spec, { plugin: spec.shown, mode: modeOf(spec), state: 'loading' });
    }
    const loaded = await Promise.all(specs.map((spec) => this.#load(spec)));
    await this.#applyAll(loaded.flat());
  }

  async #load(spec: PluginSpec): Promise<readonly Plugin[]> {
    try {
      if (spec.runs === 'worker') {
        this.#running(spec, await this.options.startWorker(spec, this.#reportOf(spec)));
        return [];
      }
      const plugins = await inTime(importPlugins(spec.module), startBoundMs, 'its module did not load in time');
      this.#entries.set(spec, plugins);
      for (const plugin of plugins)
        this.#statuses.set(plugin, { ...named(plugin), mode: 'in process', state: 'loading' });
      return plugins;
    } catch (error) {
      this.#failed(spec, { name: spec.shown }, error);
      return [];
    }
  }

  #reportOf(spec: PluginSpec): WorkerReport {
    const change = (more: Partial<PluginStatus>) => {
      const status = this.#statuses.get(spec);
      if (status !== undefined) this.#statuses.set(spec, { ...status, ...more });
    };
    return {
      running: (plugin) => this.#running(spec, plugin),
      kept: (error) => {
        change({ error: `a newer version is not used: ${wordsFor(error)}` });
        this.options.log.error('a newer version of a plugin is not used', {
          plugin: spec.shown,
          entry: spec.typed,
          at: placeIn(error, spec),
          error,
        });
      },
      failed: (error) => this.#failed(spec, { name: spec.shown }, error),
      gone: (words) => change({ state: 'failed', error: words }),
    };
  }

  async #applyAll(plugins: readonly Plugin[]): Promise<void> {
    const left = await inOrderOfNeed(this.options.host, plugins, (plugin) => this.#apply(plugin));
    for (const { plugin, failure } of left) this.#failed(plugin, plugin, failure);
  }

  async #apply(plugin: Plugin): Promise<void> {
    try {
      await this.options.host.start(plugin);
      this.#running(plugin, plugin);
    } catch (error) {
      this.#failed(plugin, plugin, error);
    }
  }

  #modeOf(key: object): PluginStatus['mode'] {
    return this.#statuses.get(key)?.mode ?? 'in process';
  }

  /** What was configured for it. */
  #specOf(key: object): PluginSpec | undefined {
    for (const [spec, keys] of this.#entries) if (keys.includes(key)) return spec;
    return undefined;
  }

  #running(key: object, plugin: Pick<Plugin, 'name' | 'version'>): void {
    const mode = this.#modeOf(key);
    this.#statuses.set(key, { ...named(plugin), mode, state: 'running' });
    this.options.log.info('plugin started', { plugin: plugin.name, version: plugin.version, mode });
  }

  #failed(key: object, plugin: Pick<Plugin, 'name' | 'version'>, error: unknown): void {
    this.#statuses.set(key, { ...named(plugin), mode: this.#modeOf(key), state: 'failed', error: wordsFor(error) });
    const spec = this.#specOf(key);
    const at = spec === undefined ? undefined : placeIn(error, spec);
    this.options.log.error('plugin failed to start', { plugin: plugin.name, entry: spec?.typed, at, error });
  }
}

function modeOf({ runs }: PluginSpec): PluginStatus['mode'] {
  return runs === 'worker' ? 'worker' : 'in process';
}

function named({ name, version }: Pick<Plugin, 'name' | 'version'>): Pick<PluginStatus, 'plugin' | 'version'> {
  return { plugin: name, ...(version === undefined ? {} : { version }) };
}
