/** What a plugin is: a name, the services it needs, and what it does once they are there. */

import type { Binding } from '../binding.js';
import type { ServiceKey } from '../contract.js';
import type { ViewController } from '../view-controller.js';

/** Marks a plugin also across two copies of this package. */
export const pluginKind = 'mini-app-mcp/plugin';

/** The life of a plugin that is applied. Everything done through it is undone when it is disposed of. */
export interface PluginScope {
  /** Aborted when the plugin is disposed of. */
  readonly signal: AbortSignal;
  /** Runs when the plugin is disposed of; the last one deferred runs first. */
  defer(finaliser: () => void | Promise<void>): void;
  /** Makes a service available to bindings and to other plugins, until the plugin is disposed of. */
  provide<T>(key: ServiceKey<T>, service: NoInfer<T>): void;
  /** A service that somebody provides. @throws Error when nobody does. */
  get<T>(key: ServiceKey<T>): T;
  /** Publishes a view that lives as long as the plugin; `Projection.offer` calls this. */
  offer(name: string, bindings: readonly Binding[]): Promise<ViewController>;
  /** Withdraws its views, runs what was deferred, withdraws its services. Safe to call again. */
  dispose(): Promise<void>;
}

export interface PluginDefinition {
  /** Shown in the log, in `info` and in the origin of events. */
  readonly name: string;
  /** Its own version, for the origin of events. */
  readonly version?: string | undefined;
  /** Services that have to be there before it is applied. */
  // biome-ignore lint/suspicious/noExplicitAny: a key takes its service in both directions, so no other type holds them all.
  readonly inject?: readonly ServiceKey<any>[];
  /** What it does. A failure undoes what was done so far. */
  apply(scope: PluginScope): unknown;
}

export interface Plugin extends PluginDefinition {
  readonly kind: typeof pluginKind;
}

/** Makes plugins. */
export const Plugin = {
  make(definition: PluginDefinition): Plugin {
    return Object.freeze({ ...definition, kind: pluginKind });
  },
};
