/** `--mcp-http`: the server on an HTTP port, for any number of clients. */
import { setTimeout as delay } from 'node:timers/promises';
import { isStoreError } from '../errors.js';
import { endProcess } from '../mcp/end-process.js';
import { type BindAddress, refuseOpenBind, showAddress } from '../mcp/http/bind-address.js';
import { type RunningHttp, serveMcpOverHttp } from '../mcp/http/serve-http.js';
import { serverInstructions } from '../mcp/instructions.js';
import type { Logger } from '../mcp/log.js';
import type { Config } from '../tables/config.js';
import type { Table } from '../tables/table.js';
import { HangUp } from './hang-up.js';
import { type HttpFlags, parseHttpFlags } from './http-flags.js';
import { serverSettings } from './server-settings.js';
import { type StartedStore, startStore } from './start-store.js';

/** Closing the tables may take this long, in milliseconds. */
const shutdownBoundMs = 500;

/**
 * Serves what the flags ask for until SIGINT or SIGTERM, then ends the process with 0, within two seconds; with 1 when a
 * plugin has broken it. A server that cannot start says why on stderr; the answer is the exit code then.
 */
export async function serveHttp(args: readonly string[]): Promise<number> {
  try {
    await start(parseHttpFlags(args));
  } catch (error) {
    process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}.${nextStep(error)}\n`);
    return 1;
  }
  return new Promise(() => undefined);
}

function nextStep(error: unknown): string {
  if (isStoreError(error)) return ` ${error.hint}`;
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken ? ' Another server has this address: connect to that one, or give --bind another port.' : '';
}

async function start(flags: HttpFlags): Promise<void> {
  const { config, log } = serverSettings();
  let shut: ((reason: string) => void) | null = null;
  const hangUp = new HangUp(log, process.stderr.isTTY ? () => shut?.('SIGHUP') : null);
  // Before anybody is served there is nothing to be ended in order.
  const leave = (reason: string) => (shut === null ? endProcess() : shut(reason));
  const started = await startStore({ config, log, isWatchingPlugins: flags.isWatchingPlugins, hangUp, leave });
  const { registry } = started;
  refuseOpenBind(flags.bind, config.httpToken);
  const running = await listen(started, config, flags);
  shut = (reason) => void shutDown(running, started, log, reason);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => shut?.(signal));
  }
  void registry.warmUp();
  const auth = config.httpToken === null ? 'loopback' : 'bearer-token';
  log.info(`serving MCP over streamable HTTP at /mcp addr=${showAddress(running.address)} auth="${auth}"`);
  if (process.stderr.isTTY) process.stderr.write(guide(config, registry.tables(), running.address));
}

function listen({ catalogue, resources }: StartedStore, config: Config, flags: HttpFlags): Promise<RunningHttp> {
  return serveMcpOverHttp({
    ...flags,
    catalogue,
    instructions: serverInstructions,
    token: config.httpToken,
    resources,
    actor: config.env.MINI_APP_ACTOR,
  });
}

async function shutDown(running: RunningHttp, started: StartedStore, log: Logger, signal: string): Promise<never> {
  await running.stop(signal).catch(reported(log));
  await Promise.race([started.close().catch(reported(log)), delay(shutdownBoundMs)]);
  endProcess();
}

function reported(log: Logger) {
  return (error: unknown) => log.error('shutting down failed', { error });
}

/** What somebody who starts the server by hand wants to know: what is served, and how a client is told of it. */
export function guide(config: Config, tables: readonly Table[], address: BindAddress): string {
  const headers = config.httpToken === null ? {} : { headers: { Authorization: `Bearer \${MINI_APP_HTTP_TOKEN}` } };
  const entry = { type: 'http', url: `http://${showAddress(reachable(address))}/mcp`, ...headers };
  const directories = [config.userDir, config.projectDir].filter((directory) => directory !== null);
  const names = tables.map(
    ({ name, scope, schema }) => `  ${name} (${scope})${schema.title ? `: ${schema.title}` : ''}`,
  );
  return [
    '',
    tables.length === 0 ? 'No table is mounted yet; clients can make one.' : `Serving ${tables.length} table(s):`,
    ...names,
    `Directories: ${directories.join(', ') || 'none'}`,
    'Clients connect with this entry of .mcp.json:',
    JSON.stringify({ mcpServers: { 'mini-app': entry } }, null, 2),
    'Press Ctrl+C to stop.',
    '',
  ].join('\n');
}

/** Nobody can connect to "any address"; this machine is the one address of it that is known. */
function reachable(address: BindAddress): BindAddress {
  return address.host === '0.0.0.0' || address.host === '::' ? { ...address, host: 'localhost' } : address;
}
