/** Plugins in workers: started for `worker:` entries, changed for newer versions on SIGHUP or when their files change. */
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Catalogue } from '../mcp/catalogue.js';
import type { WorkerReport } from '../mcp/plugins/load-plugins.js';
import type { PluginHost } from '../mcp/plugins/plugin-host.js';
import type { PluginSpec } from '../mcp/plugins/plugin-spec.js';
import type { PluginStore } from '../mcp/plugins/plugin-store.js';
import { RemotePlugin } from '../mcp/plugins/remote/remote-plugin.js';
import type { Config } from '../tables/config.js';
import { loggerLevel } from './server-settings.js';

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

interface Running {
  readonly spec: PluginSpec;
  readonly plugin: RemotePlugin;
  readonly report: WorkerReport;
}

export class WorkerPlugins {
  readonly #running: Running[] = [];
  readonly #watchers: FSWatcher[] = [];

  constructor(private readonly options: WorkerPluginsOptions) {}

  /** Resolves when its views are published. @throws PluginFailure, ProjectionError, ProjectionConflict, Error. */
  readonly start = async (spec: PluginSpec, report: WorkerReport) => {
    const { config, catalogue, host, store, isWatching } = this.options;
    const plugin = await RemotePlugin.start({
      start: { module: spec.module, cwd: config.cwd, logLevel: loggerLevel(config.logLevel) },
      log: catalogue.log,
      store,
      host,
      memoryMb: config.pluginMemoryMb,
      onGivenUp: (words) => report.gone(words),
    });
    const running = { spec, plugin, report };
    // The terminal of a server without such plugins goes away with it, as for every program.
    if (this.#running.length === 0) process.on('SIGHUP', this.#reloadAll);
    this.#running.push(running);
    if (isWatching && spec.module.startsWith('file:')) this.#watch(running);
    return plugin.named;
  };

  async stop(): Promise<void> {
    process.removeListener('SIGHUP', this.#reloadAll);
    for (const watcher of this.#watchers) watcher.close();
    await Promise.all(this.#running.map(({ plugin }) => plugin.stop()));
  }

  readonly #reloadAll = () => {
    for (const running of this.#running) void reload(running);
  };

  #watch(running: Running): void {
    let timer: NodeJS.Timeout | undefined;
    const directory = dirname(fileURLToPath(running.spec.module));
    const watcher = watch(directory, { persistent: false }, (_event, file) => {
      if (file === null || !/\.(?:[cm]?[jt]s|json)$/.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(() => void reload(running), settleMs).unref();
    });
    watcher.on('error', (error) => this.options.catalogue.log.warn('plugin files are not watched any more', { error }));
    this.#watchers.push(watcher);
  }
}

/** Never rejects: what fails is reported, and what ran before goes on. */
async function reload({ plugin, report }: Running): Promise<void> {
  try {
    await plugin.reload();
    report.running(plugin.named);
  } catch (error) {
    report.kept(error);
  }
}
