/** `--mcp`: the server on stdin and stdout. */
import { randomUUID } from 'node:crypto';
import { checkCatalogue } from '../events/catalogue.js';
import { Catalogue } from '../mcp/catalogue.js';
import { Services } from '../mcp/contract.js';
import { serverInstructions } from '../mcp/instructions.js';
import { createLogger, type Logger, type LogLevel } from '../mcp/log.js';
import { ResourceFeature } from '../mcp/resources/resource-feature.js';
import { runStdioProcess } from '../mcp/stdio-process.js';
import { guardStdout } from '../mcp/stdout-guard.js';
import { offerCoreTools } from '../mcp/tools/index.js';
import { storeKey } from '../mcp/tools/store-key.js';
import type { Store } from '../ops/store.js';
import { type Config, loadConfig } from '../tables/config.js';
import { TableRegistry } from '../tables/registry.js';

/** The first answers come before the tables are opened; in milliseconds. */
const warmUpDelay = 100;

/** Serves until the client leaves or a signal comes, then ends the process. @throws StoreError CONFIG_ERROR and others at start. */
export async function serveStdio(): Promise<never> {
  const output = guardStdout();
  const { config, log, store, registry } = startStore();
  const catalogue = new Catalogue(new Services().provide(storeKey, store), log);
  offerCoreTools(catalogue);
  setTimeout(() => void registry.warmUp(), warmUpDelay).unref();
  return await runStdioProcess({
    catalogue,
    instructions: serverInstructions,
    output,
    extensions: [new ResourceFeature({ registry, catalogue }).extension(true)],
    actor: config.env.MINI_APP_ACTOR,
    shutdown: () => registry.close(),
  });
}

/** What every way of serving starts from. */
export interface StartedStore {
  readonly config: Config;
  readonly log: Logger;
  readonly store: Store;
  readonly registry: TableRegistry;
}

/** Reads the configuration and mounts its tables. */
export function startStore(): StartedStore {
  checkCatalogue();
  const config = loadConfig(process.env, process.cwd());
  const log = createLogger({ level: loggerLevel(config.logLevel) });
  const registry = TableRegistry.mount({
    config,
    session: randomUUID(),
    now: Date.now,
    log: (level, message, fields) => log[level](message, fields),
  });
  return { config, log, registry, store: { registry, now: Date.now, newId: randomUUID } };
}

function loggerLevel(level: Config['logLevel']): LogLevel {
  if (level === 'off') return 'error';
  return level === 'trace' ? 'debug' : level;
}
