/** The plugins that the environment names; loaded only where there are any. */
import type { Catalogue } from '../mcp/catalogue.js';
import { LoadedPlugins } from '../mcp/plugins/load-plugins.js';
import type { PluginHost } from '../mcp/plugins/plugin-host.js';
import { parsePluginSpec } from '../mcp/plugins/plugin-spec.js';
import type { PluginStatus } from '../mcp/plugins/plugin-status.js';
import { pluginStore, Store as storeService } from '../mcp/plugins/plugin-store.js';
import { within } from '../mcp/within.js';
import type { Store } from '../ops/store.js';
import type { Config } from '../tables/config.js';
import { WorkerPlugins } from './worker-plugins.js';

/** The first list of tools waits this long for those of plugins, in milliseconds; later ones are announced. */
const firstListBoundMs = 3_000;

export interface StartPluginsOptions {
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly host: PluginHost;
  readonly store: Store;
  readonly isWatching: boolean;
}

export interface StartedPlugins {
  statuses(): readonly PluginStatus[];
  stop(): Promise<void>;
}

/** Starts them and resolves when they are there, or when the first list of tools can wait no longer. */
export async function startPlugins(options: StartPluginsOptions): Promise<StartedPlugins> {
  const { config, catalogue, host } = options;
  const { cwd, plugins } = config;
  const store = pluginStore(options.store);
  catalogue.services.provide(storeService, store);
  const workers = new WorkerPlugins({ ...options, store });
  const loaded = new LoadedPlugins({ host, log: catalogue.log, startWorker: workers.start });
  await within(loaded.load(plugins.map((text) => parsePluginSpec(text, cwd))), firstListBoundMs);
  return {
    statuses: () => loaded.statuses,
    stop: async () => {
      await Promise.all([host.stop(), workers.stop()]);
    },
  };
}
