/**
 * What plugins in the server's own thread do to it outside of any call: nothing there catches what they throw. It is told in the
 * log, with the plugin as far as its stack shows one. A plugin in a worker only ends its thread.
 */
import { isOwnEnd } from '../mcp/end-process.js';
import type { LogFields, Logger } from '../mcp/log.js';
import { blameFor } from '../mcp/plugins/blame.js';
import type { PluginSpec } from '../mcp/plugins/plugin-spec.js';

export interface MishapOptions {
  /** The plugins that run in this thread. */
  readonly specs: readonly PluginSpec[];
  readonly log: Logger;
  /** Ends the server in order: what it has accepted is answered as far as there is time. */
  readonly leave: (reason: string) => void;
}

const advice = 'worker: in front of a plugin in MINI_APP_PLUGINS keeps the server out of this';

/** Listens for the life of the process. */
export function watchMishaps({ specs, log, leave }: MishapOptions): void {
  let isLeaving = false;
  // Nothing was interrupted, so that the server can go on.
  process.on('unhandledRejection', (error) =>
    log.error(`a rejected promise was handled by nobody; the server goes on`, fieldsOf(error, specs)),
  );
  // Whatever was under way has been torn off in the middle: only an end is safe.
  process.on('uncaughtException', (error) => {
    process.exitCode = 1;
    if (isLeaving) return;
    isLeaving = true;
    log.error(`an exception was caught by nobody; the server ends. ${advice}`, fieldsOf(error, specs));
    leave('an uncaught exception');
  });
  process.on('exit', (code) => {
    const error = new Error('process.exit() was called');
    if (isOwnEnd() || error.stack?.includes('.exit (node:') !== true) return;
    // A client must not take this for an end in order.
    process.exitCode = code === 0 ? 1 : code;
    log.error(`process.exit() was called outside of the server, which ends at once. ${advice}`, fieldsOf(error, specs));
  });
}

function fieldsOf(error: unknown, specs: readonly PluginSpec[]): LogFields {
  const blame = blameFor(error, specs);
  return { plugin: blame?.spec.shown, entry: blame?.spec.typed, at: blame?.at, error };
}
