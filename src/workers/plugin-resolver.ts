/**
 * Resolves what a plugin imports: runs on Node's own thread for module hooks. It imports types only: from source, newer
 * versions of Node read it themselves, and look for no `.ts` behind a `.js`.
 */
import type { InitializeHook, ResolveHook } from 'node:module';
import type { ResolverData } from '../mcp/plugins/package-prefix.js';

let data: ResolverData | undefined;

export const initialize: InitializeHook<ResolverData> = (given) => {
  data = given;
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  if (data === undefined) return next(specifier, context);
  if (specifier === 'mini-app-mcp/plugin') return { url: data.surface, shortCircuit: true };
  if (specifier.startsWith(data.packagePrefix)) {
    return next(specifier.slice(data.packagePrefix.length), { ...context, parentURL: data.surface });
  }
  if (!/^(?:zod|rxjs)(?:\/|$)/.test(specifier)) return next(specifier, context);
  try {
    return await next(specifier, context);
  } catch {
    return next(specifier, { ...context, parentURL: data.surface });
  }
};
