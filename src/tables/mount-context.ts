/** What mounting needs from outside: settings, a clock, the process's name, and where to say what happened. */
import type { Config } from './config.js';

export interface MountContext {
  readonly config: Config;
  /** Names this process in origins and leases. */
  readonly session: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>) => void;
}
