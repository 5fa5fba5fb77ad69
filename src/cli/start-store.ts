/** The store and its tools, for every way of serving: what is heavy to load is loaded with this file. */
import { randomUUID } from 'node:crypto';
import { config as rxjs } from 'rxjs';
import { checkCatalogue } from '../events/catalogue.js';
import { Catalogue } from '../mcp/catalogue.js';
import { Services } from '../mcp/contract.js';
import type { Logger } from '../mcp/log.js';
import { PluginHost } from '../mcp/plugins/plugin-host.js';
import { ResourceFeature } from '../mcp/resources/resource-feature.js';
import { offerCoreTools } from '../mcp/tools/index.js';
import { storeKey } from '../mcp/tools/store-key.js';
import { within } from '../mcp/within.js';
import type { Store } from '../ops/store.js';
import type { Config } from '../tables/config.js';
import { TableRegistry } from '../tables/registry.js';
import type { HangUp } from './hang-up.js';
import { recordViews } from './record-views.js';
import type { StartedPlugins } from './start-plugins.js';

/** In milliseconds. */
const pluginStopBoundMs = 250;

export interface StartStoreOptions {
  readonly config: Config;
  readonly log: Logger;
  /** One that is served already, while the store is being started; its own otherwise. */
  readonly catalogue?: Catalogue;
  /** `--watch-plugins` */
  readonly isWatchingPlugins: boolean;
  readonly hangUp?: HangUp;
  /** Aborted when requests are to be answered without the plugins that still load. */
  readonly leaving?: AbortSignal;
  /** Ends the server in order, when a plugin has broken it. */
  readonly leave: (reason: string) => void;
}

export interface StartedStore {
  readonly registry: TableRegistry;
  readonly catalogue: Catalogue;
  readonly resources: ResourceFeature;
  /** Disposes of plugins, then closes the tables. */
  close(): Promise<void>;
}

/** Mounts the tables and publishes the tools. @throws StoreError when the table of legacy mode cannot be mounted. */
export async function startStore(options: StartStoreOptions): Promise<StartedStore> {
  const {
    config,
    log,
    catalogue = new Catalogue(new Services(), log),
    isWatchingPlugins,
    hangUp,
    leaving,
    leave,
  } = options;
  // Plugins listen to changes, and a listener that throws must not end the process.
  rxjs.onUnhandledError = (error: unknown) => log.error('a listener failed', { error });
  checkCatalogue();
  const registry = TableRegistry.mount({
    config,
    session: randomUUID(),
    now: Date.now,
    log: (level, message, fields) => log[level](message, fields),
  });
  let started: StartedPlugins | undefined;
  const store: Store = {
    registry,
    now: Date.now,
    newId: randomUUID,
    plugins: () => started?.statuses() ?? [],
  };
  catalogue.services.provide(storeKey, store);
  const plugins = new PluginHost(catalogue);
  const records = recordViews(config, catalogue, log);
  await offerCoreTools(plugins);
  if (config.plugins.length > 0) {
    const { startPlugins } = await import('./start-plugins.js');
    const own = { config, catalogue, host: plugins, store };
    started = await startPlugins({ ...own, isWatching: isWatchingPlugins, hangUp, leaving, leave });
  } else hangUp?.ready(null);
  if (config.managedViews.length > 0) void warnWhenLoaded(started, config, catalogue);
  const close = async () => {
    // A finaliser that hangs must not keep the tables open when the process ends.
    await within(started?.stop() ?? plugins.stop(), pluginStopBoundMs);
    await Promise.all([registry.close(), records?.close()]);
  };
  return { registry, catalogue, resources: new ResourceFeature({ registry, catalogue }), close };
}

async function warnWhenLoaded(
  started: StartedPlugins | undefined,
  config: Config,
  catalogue: Catalogue,
): Promise<void> {
  const { warnOfManaged } = await import('./warn-of-managed.js');
  await started?.loaded;
  warnOfManaged(config.managedViews, catalogue);
}
