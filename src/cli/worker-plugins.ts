/** Plugins in workers: started for `worker:` entries, changed for newer versions when that is asked for or when their files change. */
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Catalogue } from '../mcp/catalogue.js';
import type { WorkerReport } from '../mcp/plugins/load-plugins.js';
import type { PluginHost } from '../mcp/plugins/plugin-host.js';
import type { PluginSpec } from '../mcp/plugins/plugin-spec.js';
import type { PluginStore } from '../mcp/plugins/plugin-store.js';
import type { Config } from '../tables/config.js';
import { loggerLevel } from './server-settings.js';
import { WorkerEntry } from './worker-entry.js';

/** An editor writes a file in several steps, milliseconds apart. */
const settleMs = 200;

export interface WorkerPluginsOptions {
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly host: PluginHost;
  readonly store: PluginStore;
  /** `--watch-plugins` */
  readonly isWatching: boolean;
}

export class WorkerPlugins {
  readonly #entries: WorkerEntry[] = [];
  readonly #watchers: FSWatcher[] = [];

  constructor(private readonly options: WorkerPluginsOptions) {}

  /** Resolves when its views are published. @throws PluginFailure, ProjectionError, ProjectionConflict, Error. */
  readonly start = (spec: PluginSpec, report: WorkerReport) => {
    const { config, catalogue, host, store, isWatching } = this.options;
    const begin = { module: spec.module, logLevel: loggerLevel(config.logLevel) };
    const { pluginMemoryMb: memoryMb } = config;
    const entry = new WorkerEntry({ start: begin, log: catalogue.log, store, host, memoryMb }, report);
    this.#entries.push(entry);
    if (isWatching && spec.module.startsWith('file:')) this.#watch(spec, entry);
    return entry.start();
  };

  async stop(): Promise<void> {
    for (const watcher of this.#watchers) watcher.close();
    await Promise.all(this.#entries.map((entry) => entry.stop()));
  }

  /** Starts what the files of all of them hold now. */
  reloadAll(): void {
    for (const entry of this.#entries) void entry.reload();
  }

  #watch(spec: PluginSpec, entry: WorkerEntry): void {
    const { log } = this.options.catalogue;
    const failed = (error: unknown) => log.warn('plugin files are not watched', { plugin: spec.shown, error });
    let timer: NodeJS.Timeout | undefined;
    try {
      const watcher = watch(dirname(fileURLToPath(spec.module)), { persistent: false }, (_event, file) => {
        if (file === null || !/\.(?:[cm]?[jt]s|json)$/.test(file)) return;
        clearTimeout(timer);
        timer = setTimeout(() => void entry.reload(), settleMs).unref();
      });
      watcher.on('error', failed);
      this.#watchers.push(watcher);
    } catch (error) {
      failed(error);
    }
  }
}
