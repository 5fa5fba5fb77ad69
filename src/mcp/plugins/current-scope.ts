/** Which plugin is being applied: so that `Projection.offer` knows whose view it publishes without being told. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { PluginScope } from './plugin.js';

/** Runs work on behalf of a plugin, whatever it awaits included. */
export function withScope<T>(scope: PluginScope, work: () => T): T {
  return storage().run(scope, work);
}

/** @throws Error outside of a plugin. */
export function currentScope(): PluginScope {
  const scope = storage().getStore();
  if (scope === undefined) throw new Error('a view is offered inside the apply function of a plugin');
  return scope;
}

declare global {
  // Shared by two copies of this package: a plugin may bring its own.
  var __miniAppMcpPluginScope: AsyncLocalStorage<PluginScope> | undefined;
}

function storage(): AsyncLocalStorage<PluginScope> {
  globalThis.__miniAppMcpPluginScope ??= new AsyncLocalStorage<PluginScope>();
  return globalThis.__miniAppMcpPluginScope;
}
