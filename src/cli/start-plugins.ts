/** The plugins that the environment names; loaded only where there are any. */

import type { Catalogue } from '../mcp/catalogue.js';
import { LoadedPlugins } from '../mcp/plugins/load-plugins.js';
import type { PluginHost } from '../mcp/plugins/plugin-host.js';
import { parsePluginSpec } from '../mcp/plugins/plugin-spec.js';
import { PluginFailure } from '../mcp/plugins/plugin-status.js';
import { pluginStore, Store as storeService } from '../mcp/plugins/plugin-store.js';
import { within } from '../mcp/within.js';
import type { Store } from '../ops/store.js';
import type { Config } from '../tables/config.js';

/** The first list of tools waits this long for those of plugins, in milliseconds; later ones are announced. */
const firstListBoundMs = 1_000;

/** Starts them and resolves when they are there, or when the first list of tools can wait no longer. */
export async function startPlugins(
  { plugins, cwd }: Config,
  catalogue: Catalogue,
  host: PluginHost,
  store: Store,
): Promise<LoadedPlugins> {
  catalogue.services.provide(storeService, pluginStore(store));
  const loaded = new LoadedPlugins({
    host,
    log: catalogue.log,
    cwd,
    startWorker: () => Promise.reject(new PluginFailure('plugins in workers are not available')),
  });
  await within(loaded.load(plugins.map((text) => parsePluginSpec(text, cwd))), firstListBoundMs);
  return loaded;
}
