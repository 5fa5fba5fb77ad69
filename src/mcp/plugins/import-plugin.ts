/** Importing a plugin's module, so that what it imports of us is this very program. */
import { statSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { workerFile } from '../../ops/worker-file.js';
import { packagePrefix, type ResolverData } from './package-prefix.js';
import { type Plugin, pluginKind } from './plugin.js';
import { PluginFailure } from './plugin-status.js';
import { withPlace } from './syntax-place.js';

let isRegistered = false;

/**
 * The plugins of a module: its default export, one or several.
 * @throws PluginFailure when the module is not there or exports none; whatever the module throws.
 */
export async function importPlugins(module: string): Promise<readonly Plugin[]> {
  registerResolver();
  const isFile = module.startsWith('file:');
  if (isFile) assertFile(fileURLToPath(module));
  try {
    const loaded: unknown = await (isFile ? import(module) : importPackage(module));
    return pluginsOf(loaded);
  } catch (error) {
    throw await withPlace(error, module);
  }
}

function assertFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return;
  if (found !== undefined) throw new PluginFailure('it is a directory; name the module in it, as ./plugin/index.mjs');
  const separator = path.includes(';') ? '; entries are separated by commas' : '';
  throw new PluginFailure(`there is no such file${separator}`, { cause: new Error(path) });
}

async function importPackage(name: string): Promise<unknown> {
  try {
    return await import(`${packagePrefix}${name}`);
  } catch (error) {
    const isMissing = error instanceof Error && error.message.startsWith(`Cannot find package '${packageIn(name)}'`);
    if (!isMissing) throw error;
    const message = 'no package of this name is installed with the server; a path begins with ./';
    throw new PluginFailure(message, { cause: error });
  }
}

function pluginsOf(loaded: unknown): readonly Plugin[] {
  const exported: unknown =
    typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : null;
  const plugins: unknown[] = Array.isArray(exported) ? exported : [exported];
  if (plugins.length > 0 && plugins.every(isPlugin)) return plugins;
  throw new PluginFailure('its default export is no plugin made with Plugin.make, nor an array of them');
}

function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== pluginKind) return false;
  return 'name' in value && typeof value.name === 'string' && value.name.trim() !== '' && 'apply' in value;
}

/** Hooks stay for the life of a process, and cost every later import something: registered only where there are plugins. */
/** Of `a/b.js` and `@a/b/c.js`: what has to be installed. */
function packageIn(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

function registerResolver(): void {
  if (isRegistered) return;
  isRegistered = true;
  const { url, isSource } = workerFile('plugin-resolver');
  // A server from source reads TypeScript by a loader of its own, which resolves the surface as well.
  const surface = new URL(isSource ? '../plugin.ts' : '../plugin.js', url);
  const data: ResolverData = { surface: surface.href, packagePrefix };
  register(url, { data });
}
