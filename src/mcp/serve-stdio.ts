/** MCP on stdin and stdout, from the first byte to the last answer. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Implementation } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Catalogue } from './catalogue.js';
import { createServer, type ServerExtension } from './server.js';
import { serverInfo } from './server-info.js';
import { StdioTransport } from './stdio-transport.js';
import type { ProtocolOutput } from './stdout-guard.js';
import { within } from './within.js';

/** Calls in flight when the connection ends have this long for their answers, in milliseconds. */
const answerBoundMs = 1_100;
/** What is still in flight then is cut off, and has this long for the error that says so. */
const cutOffBoundMs = 200;
const closeBoundMs = 100;

export interface StdioOptions {
  readonly catalogue: Catalogue;
  readonly instructions: string;
  readonly input: Readable;
  /** From `guardStdout`, or any stream in tests. */
  readonly output: ProtocolOutput;
  readonly serverInfo?: Implementation | undefined;
  readonly extensions?: readonly ServerExtension[] | undefined;
  /** See {@link StdioTransport}: until then only the greeting is answered. */
  readonly ready?: Promise<unknown> | undefined;
  /** The value of MINI_APP_ACTOR, when set. */
  readonly actor?: string | undefined;
  /** Called once, when no further request will come: those that are accepted have little time left. */
  readonly onLeave?: (() => void) | undefined;
  /** Called once, after the last answer. */
  readonly onClose?: ((reason: string) => void) | undefined;
}

export interface StdioSession {
  /** Resolves after the last answer, however the connection ended. */
  readonly closed: Promise<void>;
  /** Takes no further request, lets accepted ones be answered, closes. Bounded; safe to call again. */
  stop(reason: string): Promise<void>;
}

/** Serves both protocol eras over one connection. */
export function serveMcpOverStdio(options: StdioOptions): StdioSession {
  const { catalogue } = options;
  const session = randomUUID();
  let stopping: Promise<void> | null = null;
  let resolveClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  const stop = (reason: string): Promise<void> => {
    stopping ??= finish(reason);
    return stopping;
  };
  const transport = new StdioTransport({ ...options, log: catalogue.log, onEnd: (reason) => void stop(reason) });
  const handle = serveStdio(
    () => createServer({ ...options, serverInfo: options.serverInfo ?? serverInfo, session, canNotify: true }),
    { transport, onerror: (error) => catalogue.log.debug('protocol error', { error }) },
  );
  return { closed, stop };

  async function finish(reason: string): Promise<void> {
    catalogue.log.debug('the connection ends', { reason });
    transport.stopAccepting();
    options.onLeave?.();
    await answerAccepted(transport, catalogue);
    // A reader that hangs would hold up what closing has to say.
    await within(handle.close(), closeBoundMs);
    resolveClosed();
    options.onClose?.(reason);
  }
}

async function answerAccepted(transport: StdioTransport, catalogue: Catalogue): Promise<void> {
  const answered = Promise.all([transport.drained(), catalogue.idle()]);
  if (await within(answered, answerBoundMs)) return;
  catalogue.log.warn('calls are cut off: the connection ended while they ran');
  await within(Promise.all([catalogue.stop(), transport.drained()]), cutOffBoundMs);
}
