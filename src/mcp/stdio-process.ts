/** A process that serves MCP on stdio: it ends when its client does, within two seconds, with everything closed. */
import { setTimeout as delay } from 'node:timers/promises';
import { endProcess } from './end-process.js';
import { type StdioOptions, serveMcpOverStdio } from './serve-stdio.js';

/** Closing the tables may take this long, in milliseconds. */
const shutdownBoundMs = 500;

export interface StdioProcessOptions extends Omit<StdioOptions, 'input' | 'onClose'> {
  /** Aborted, with a word on why, when the server has to end although its client has not left. */
  readonly ending?: AbortSignal | undefined;
  /** Closes what the process holds; called once, after the last answer. */
  shutdown(): Promise<void>;
}

/**
 * Serves stdin and stdout until the client leaves or a signal comes, then exits with 0, or with the code that was set on the
 * process. Never returns before that.
 */
export async function runStdioProcess(options: StdioProcessOptions): Promise<never> {
  const { log } = options.catalogue;
  const session = serveMcpOverStdio({ ...options, input: process.stdin });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void session.stop(signal));
  }
  const { ending } = options;
  ending?.addEventListener('abort', () => void session.stop(String(ending.reason)), { once: true });
  await session.closed;
  const shutdown = options.shutdown().catch((error: unknown) => log.error('shutting down failed', { error }));
  await Promise.race([shutdown, delay(shutdownBoundMs)]);
  endProcess();
}
