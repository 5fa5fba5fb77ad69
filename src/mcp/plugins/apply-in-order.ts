/** In the listed order, but a plugin waits for the services that another one provides. */
import type { PluginDefinition } from './plugin.js';
import type { PluginHost } from './plugin-host.js';
import { PluginFailure } from './plugin-status.js';

/** Those that can be applied, in turn; then those whose service nobody provides, with its name. */
export async function inOrderOfNeed<P extends PluginDefinition>(
  host: PluginHost,
  plugins: readonly P[],
  apply: (plugin: P) => Promise<void>,
): Promise<readonly { readonly plugin: P; readonly failure: PluginFailure }[]> {
  let waiting = [...plugins];
  for (;;) {
    const next = waiting.find((plugin) => host.missingOf(plugin) === undefined);
    if (next === undefined) break;
    waiting = waiting.filter((other) => other !== next);
    await apply(next);
  }
  return waiting.map((plugin) => {
    const message = `it needs the service '${host.missingOf(plugin)}', which nobody provides`;
    return { plugin, failure: new PluginFailure(message) };
  });
}

/** All of them or none counts. @throws PluginFailure for a service that is missing; whatever a plugin throws. */
export async function applyInOrder(host: PluginHost, plugins: readonly PluginDefinition[]): Promise<void> {
  const [left] = await inOrderOfNeed(host, plugins, async (plugin) => void (await host.start(plugin)));
  if (left !== undefined) throw left.failure;
}
