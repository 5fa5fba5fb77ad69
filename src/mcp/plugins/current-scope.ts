/** Which plugin is being applied: so that `Projection.offer` knows whose view it publishes without being told. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { PluginScope } from './plugin.js';

/** Runs work on behalf of a plugin, whatever it awaits included. */
export function withScope<T>(scope: PluginScope, work: () => T): T {
  return storage().run(scope, work);
}

let present: PluginScope | undefined;

/**
 * The same for work that offers its views before it first awaits: the product's own plugin. Following asynchronous work
 * costs every promise of the process something, so that a server without plugins does without.
 */
export function withScopeAtOnce<T>(scope: PluginScope, work: () => T): T {
  present = scope;
  try {
    return work();
  } finally {
    present = undefined;
  }
}

/** @throws Error outside of a plugin. */
export function currentScope(): PluginScope {
  const scope = present ?? globalThis.__miniAppMcpPluginScope?.getStore();
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
