/** `--mcp`: the server on stdin and stdout. */
import { Catalogue } from '../mcp/catalogue.js';
import { Services } from '../mcp/contract.js';
import { serverInstructions } from '../mcp/instructions.js';
import type { ServerExtension } from '../mcp/server.js';
import { runStdioProcess } from '../mcp/stdio-process.js';
import { guardStdout } from '../mcp/stdout-guard.js';
import { HangUp } from './hang-up.js';
import { serverSettings } from './server-settings.js';
import type { StartedStore } from './start-store.js';

/** The first answers come before the tables are opened; in milliseconds. */
const warmUpDelay = 100;

/** A client that has left waits this long for plugins that still load, in milliseconds: its requests need the rest. */
const lastWait = 750;

/**
 * Serves until the client leaves or a signal comes, then ends the process. The greeting is answered while tables and tools
 * are still being loaded.
 * @throws StoreError CONFIG_ERROR and others at start.
 */
export async function serveStdio(isWatchingPlugins = false): Promise<never> {
  const output = guardStdout();
  const { config, log } = serverSettings();
  const hangUp = new HangUp(log);
  const catalogue = new Catalogue(new Services(), log);
  const leaving = new AbortController();
  const ending = new AbortController();
  const leave = (reason: string) => ending.abort(reason);
  const loading = new Promise<void>((resolve) => setImmediate(resolve))
    .then(() => import('./start-store.js'))
    .then(({ startStore }) =>
      startStore({ config, log, catalogue, isWatchingPlugins, hangUp, leaving: leaving.signal, leave }),
    );
  loading.then(warmUpSoon, () => undefined);
  const serving = runStdioProcess({
    catalogue,
    instructions: serverInstructions,
    output,
    ready: loading,
    extensions: [resourcesOf(loading)],
    actor: config.env.MINI_APP_ACTOR,
    ending: ending.signal,
    onLeave: () => setTimeout(() => leaving.abort(), lastWait),
    shutdown: async () => (await loading).close(),
  });
  return await Promise.race([serving, failureOf(loading)]);
}

function warmUpSoon({ registry }: StartedStore): void {
  setTimeout(() => void registry.warmUp(), warmUpDelay).unref();
}

/** What resources can do is said in the greeting; how, when the store is there. Until then nobody asks. */
function resourcesOf(loading: Promise<StartedStore>): ServerExtension {
  return {
    capabilities: { resources: { subscribe: true, listChanged: true } },
    install: (server) => {
      let end: (() => void) | undefined;
      loading.then(
        ({ resources }) => {
          end = resources.extension(true).install(server);
        },
        () => undefined,
      );
      return () => end?.();
    },
  };
}

async function failureOf(loading: Promise<unknown>): Promise<never> {
  await loading;
  return new Promise<never>(() => undefined);
}
