/**
 * SIGHUP asks a server for newer versions of its plugins, and never ends it: by default it would, silently. It is heard from
 * the start; what comes before the plugins are there is acted on then.
 */
import type { Logger } from '../mcp/log.js';

export class HangUp {
  #act: (() => void) | null = null;
  #isMissed = false;

  constructor(
    private readonly log: Logger,
    /** A terminal that went away: ends the server where nothing is to be reloaded. */
    private readonly onTerminalGone: (() => void) | null = null,
  ) {
    process.on('SIGHUP', this.#received);
  }

  /** @param reload what the signal asks for; null when no plugin can be reloaded. */
  ready(reload: (() => void) | null): void {
    this.#act = reload ?? this.#nothingToReload;
    if (this.#isMissed) this.#act();
    this.#isMissed = false;
  }

  close(): void {
    process.removeListener('SIGHUP', this.#received);
  }

  readonly #received = () => {
    if (this.#act === null) this.#isMissed = true;
    else this.#act();
  };

  readonly #nothingToReload = () => {
    if (this.onTerminalGone !== null) this.onTerminalGone();
    else this.log.warn('SIGHUP: nothing is reloaded, because no plugin runs in a worker (worker: in MINI_APP_PLUGINS)');
  };
}
