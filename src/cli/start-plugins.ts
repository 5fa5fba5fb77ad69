/** The plugins that the environment names; loaded only where there are any. */
import type { Catalogue } from '../mcp/catalogue.js';
import type { Logger } from '../mcp/log.js';
import { LoadedPlugins } from '../mcp/plugins/load-plugins.js';
import type { PluginHost } from '../mcp/plugins/plugin-host.js';
import { type PluginSpec, parsePluginSpec } from '../mcp/plugins/plugin-spec.js';
import type { PluginStatus } from '../mcp/plugins/plugin-status.js';
import { pluginStore, Store as storeService } from '../mcp/plugins/plugin-store.js';
import { within } from '../mcp/within.js';
import type { Store } from '../ops/store.js';
import type { Config } from '../tables/config.js';
import type { HangUp } from './hang-up.js';
import { watchMishaps } from './mishaps.js';
import { WorkerPlugins } from './worker-plugins.js';

/** The first list of tools waits this long for those of plugins, in milliseconds; later ones are announced. */
const firstListBoundMs = 3_000;

export interface StartPluginsOptions {
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly host: PluginHost;
  readonly store: Store;
  readonly isWatching: boolean;
  readonly hangUp?: HangUp | undefined;
  /** Aborted when nobody waits for them any more. */
  readonly leaving?: AbortSignal | undefined;
  /** Ends the server in order. */
  readonly leave: (reason: string) => void;
}

export interface StartedPlugins {
  /** Resolves when each of them runs or has failed. */
  readonly loaded: Promise<void>;
  statuses(): readonly PluginStatus[];
  stop(): Promise<void>;
}

/** Starts them and resolves when they are there, or when the first list of tools can wait no longer. */
export async function startPlugins(options: StartPluginsOptions): Promise<StartedPlugins> {
  const { config, catalogue, host, isWatching, hangUp, leaving, leave } = options;
  const { cwd, plugins } = config;
  const store = pluginStore(options.store);
  catalogue.services.provide(storeService, store);
  const workers = new WorkerPlugins({ ...options, store });
  const loaded = new LoadedPlugins({ host, log: catalogue.log, startWorker: workers.start });
  const specs = plugins.map((text) => parsePluginSpec(text, cwd));
  const here = specs.filter(({ runs }) => runs === 'here');
  if (here.length > 0) watchMishaps({ specs: here, log: catalogue.log, leave });
  const loading = loaded.load(specs);
  const reload = reloadOf(specs, workers, catalogue.log);
  if (isWatching) warnOfUnwatched(specs, catalogue.log);
  hangUp?.ready(reload);
  await within(Promise.race([loading, ...(leaving === undefined ? [] : [endOf(leaving)])]), firstListBoundMs);
  return {
    loaded: loading,
    statuses: () => loaded.statuses,
    stop: async () => {
      await Promise.all([host.stop(), workers.stop()]);
    },
  };
}

function endOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** What SIGHUP asks for: newer versions of plugins in workers. Null when there is none. */
function reloadOf(specs: readonly PluginSpec[], workers: WorkerPlugins, log: Logger): (() => void) | null {
  const unmoved = inProcess(specs);
  if (unmoved.length === specs.length) return null;
  return () => {
    if (unmoved.length > 0) log.warn(`SIGHUP: not reloaded, because they run in process: ${unmoved.join(', ')}`);
    workers.reloadAll();
  };
}

function warnOfUnwatched(specs: readonly PluginSpec[], log: Logger): void {
  const unmoved = inProcess(specs);
  if (unmoved.length === 0) return;
  log.warn(
    `--watch-plugins: not watched, because they run in process (worker: would change that): ${unmoved.join(', ')}`,
  );
}

function inProcess(specs: readonly PluginSpec[]): string[] {
  return specs.filter(({ runs }) => runs === 'here').map(({ shown }) => shown);
}
