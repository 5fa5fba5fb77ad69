/** Resolves what a plugin imports: runs on Node's own thread for module hooks. */
import type { InitializeHook, ResolveHook } from 'node:module';
import { packagePrefix, type ResolverData } from '../mcp/plugins/package-prefix.js';

let data: ResolverData | undefined;

export const initialize: InitializeHook<ResolverData> = (given) => {
  data = given;
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  if (data === undefined) return next(specifier, context);
  if (specifier === 'mini-app-mcp/plugin') return { url: data.surface, shortCircuit: true };
  if (specifier.startsWith(packagePrefix)) {
    return next(specifier.slice(packagePrefix.length), { ...context, parentURL: data.surface });
  }
  if (!/^(?:zod|rxjs)(?:\/|$)/.test(specifier)) return next(specifier, context);
  try {
    return await next(specifier, context);
  } catch {
    return next(specifier, { ...context, parentURL: data.surface });
  }
};
