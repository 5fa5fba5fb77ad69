/** What a server reads before anything else: cheap, so that a wrong setting is told at once. */
import { createLogger, type Logger, type LogLevel } from '../mcp/log.js';
import { type Config, loadConfig } from '../tables/config.js';

export interface ServerSettings {
  readonly config: Config;
  readonly log: Logger;
}

/** @throws StoreError CONFIG_ERROR naming the variable. */
export function serverSettings(): ServerSettings {
  const config = loadConfig(process.env, process.cwd());
  return { config, log: createLogger({ level: loggerLevel(config.logLevel) }) };
}

/** The logger's least level for a setting. */
export function loggerLevel(level: Config['logLevel']): LogLevel {
  if (level === 'off') return 'error';
  return level === 'trace' ? 'debug' : level;
}
