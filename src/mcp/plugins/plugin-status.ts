/** How a configured plugin is doing, as `info` tells it: no path, no stack. */
import { ProjectionConflict, ProjectionError } from '../projection-error.js';

export interface PluginStatus {
  /** The plugin's name; the file or package while it has none. */
  readonly plugin: string;
  readonly version?: string;
  /** In the server's own thread, where it cannot be reloaded, or in one of its own. */
  readonly mode: 'in process' | 'worker';
  readonly state: 'loading' | 'running' | 'failed';
  /** Why it failed, in words. */
  readonly error?: string;
}

/** A failure that we can name ourselves, so that its words are fit for clients. */
export class PluginFailure extends Error {
  override readonly name = 'PluginFailure';
}

/** What clients may read of a failure; the log has all of it. */
export function wordsFor(error: unknown): string {
  return isOurs(error) ? error.message : 'it could not be started; the log of the server says why';
}

/** Whether the words of a failure are ours, and hold no path and no secret. */
export function isOurs(error: unknown): error is Error {
  return error instanceof PluginFailure || error instanceof ProjectionError || error instanceof ProjectionConflict;
}
