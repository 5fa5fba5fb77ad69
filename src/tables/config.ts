/** What the environment says: directories, modes and limits (rulings §2 "modes", "directories", "env file"). */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { StoreError } from '../errors.js';
import { readEnvFile } from './env-file.js';
import { booleanSetting, type Env, integerSetting, listSetting, malformedSetting, textSetting } from './settings.js';

export const logLevels = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Paths are absolute. */
export interface Config {
  readonly cwd: string;
  /** Null: no tables of this scope. */
  readonly userDir: string | null;
  readonly projectDir: string | null;
  /** The one table of legacy mode, which is then the default table. */
  readonly legacy: LegacyTable | null;
  /** Backups, then snapshots, kept per table. */
  readonly backupRetention: number;
  readonly snapshotRetention: number;
  /** Raw history entries kept per row, and the least that one archive chunk takes (storage.md §10.1). */
  readonly historyKeepRecent: number;
  readonly historyChunkMin: number;
  /** A snapshot after so many events; null: none of its own accord. */
  readonly snapshotEvery: number | null;
  /** Globs of the views that may be called only with an approval. */
  readonly managedViews: readonly string[];
  /** Where publications and approvals are kept; null: nowhere. */
  readonly viewsDir: string | null;
  /** JavaScript memory of a plugin in a worker, in MiB. */
  readonly pluginMemoryMb: number;
  /** Modules of plugins as they were given, in order. */
  readonly plugins: readonly string[];
  readonly httpToken: string | null;
  readonly logLevel: LogLevel;
  /** The environment with the env file merged in; the settings of the upload are read from it when it is used. */
  readonly env: Env;
}

export interface LegacyTable {
  readonly schemaPath: string;
  readonly databasePath: string;
}

/**
 * Merges `.mini-app-mcp.env` of the working directory under the environment and reads the settings. Creates nothing.
 * @throws StoreError CONFIG_ERROR naming the variable and what is allowed, or the line of the env file.
 */
export function loadConfig(environment: NodeJS.ProcessEnv, cwd: string): Config {
  const env = mergedEnv(environment, cwd);
  const databasePath = pathSetting(env, cwd, 'MINI_APP_DB', null);
  // Legacy mode mounts a directory only when it is asked for.
  const fallback = (directory: string) => (databasePath === null ? directory : null);
  return {
    cwd,
    userDir: pathSetting(env, cwd, 'MINI_APP_USER_DIR', fallback('~/.mini-app')),
    projectDir: pathSetting(env, cwd, 'MINI_APP_PROJECT_DIR', fallback('.mini-app')),
    legacy: databasePath === null ? null : { schemaPath: legacySchema(env, cwd), databasePath },
    ...limits(env),
    managedViews: listSetting(env, 'MINI_APP_MANAGED_VIEWS', 'a list of view names, in which * stands for anything'),
    viewsDir: viewsDirectory(environment, cwd),
    plugins: pluginList(environment, env),
    httpToken: textSetting(env, 'MINI_APP_HTTP_TOKEN'),
    logLevel: logLevel(env),
    env,
  };
}

function mergedEnv(environment: NodeJS.ProcessEnv, cwd: string): Env {
  const merged = new Map<string, string | undefined>(readEnvFile(cwd));
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) merged.set(name, value);
  return Object.fromEntries(merged);
}

function limits(env: Env) {
  // Used by the upload alone, but a bad boolean stops the start as every malformed value does.
  booleanSetting(env, 'MINI_APP_S3_VIRTUAL_HOSTED_STYLE', false);
  return {
    backupRetention: integerSetting(env, 'MINI_APP_BACKUP_RETENTION', 1, 10),
    snapshotRetention: integerSetting(env, 'MINI_APP_SNAPSHOT_RETENTION', 1, 10),
    historyKeepRecent: integerSetting(env, 'MINI_APP_HISTORY_KEEP_RECENT', 0, 16),
    historyChunkMin: integerSetting(env, 'MINI_APP_HISTORY_CHUNK_MIN', 0, 48),
    pluginMemoryMb: integerSetting(env, 'MINI_APP_PLUGIN_MEMORY_MB', 16, 256),
    snapshotEvery: integerSetting(env, 'MINI_APP_SNAPSHOT_EVERY', 1, null),
  };
}

const hint = 'Plugins are code: name them in the environment of the server, not in a file of the working directory.';

/** A file of the working directory must not run code: whoever clones a repository has not chosen what lies in it. */
function pluginList(environment: NodeJS.ProcessEnv, merged: Env): string[] {
  const variable = 'MINI_APP_PLUGINS';
  if (textSetting(environment, variable) === null && textSetting(merged, variable) !== null)
    throw new StoreError(
      'CONFIG_ERROR',
      { detail: `${variable} may not be set in .mini-app-mcp.env`, variable },
      { hint },
    );
  const allowed = 'a list of modules, separated by commas';
  const modules = listSetting(environment, variable, allowed);
  if (modules.includes('worker:')) throw malformedSetting(variable, allowed, modules.join());
  for (const module of modules) assertPlugin(module, modules, variable);
  return modules;
}

function assertPlugin(module: string, modules: readonly string[], variable: string): void {
  const isMisspelt = /^worker\s*:/i.test(module) && !module.startsWith('worker:');
  if (isMisspelt)
    throw malformedSetting(variable, "written with 'worker:' in small letters and without spaces", module);
  const isTwice = modules.filter((other) => nameOf(other) === nameOf(module)).length > 1;
  if (isTwice) throw malformedSetting(variable, 'a list that names each module once', module);
}

function nameOf(module: string): string {
  return module.replace(/^worker:\s*/, '');
}

/** Approvals must not come with a cloned repository, whose env file could name a directory of its own. */
function viewsDirectory(environment: NodeJS.ProcessEnv, cwd: string): string | null {
  return pathSetting(environment, cwd, 'MINI_APP_USER_DIR', '~/.mini-app');
}

/** Unset: the fallback. Set but blank: no path, which switches a scope off. */
function pathSetting(env: Env, cwd: string, variable: string, fallback: string | null): string | null {
  const path = env[variable] ?? fallback;
  return path === null || path.trim() === '' ? null : absolute(env, cwd, variable, path);
}

function legacySchema(env: Env, cwd: string): string {
  return absolute(env, cwd, 'MINI_APP_SCHEMA', textSetting(env, 'MINI_APP_SCHEMA') ?? './schema.yaml');
}

function absolute(env: Env, cwd: string, variable: string, path: string): string {
  if (path.includes('\0')) throw malformedSetting(variable, 'a path', path.replaceAll('\0', '?'));
  return resolve(
    cwd,
    path.replace(/^~(?=$|[\\/])/, () => home(env)),
  );
}

function home(env: Env): string {
  return textSetting(env, 'HOME') ?? textSetting(env, 'USERPROFILE') ?? homedir();
}

function logLevel(env: Env): LogLevel {
  const text = textSetting(env, 'MINI_APP_LOG');
  if (text === null) return rustLogLevel(textSetting(env, 'RUST_LOG') ?? '') ?? 'info';
  const level = levelNamed(text);
  if (level === undefined) throw malformedSetting('MINI_APP_LOG', `one of ${logLevels.join(', ')}`, text);
  return level;
}

/** `level` or `target=level,…`: ours, else the general one. What is written for other programs is not an error here. */
function rustLogLevel(text: string): LogLevel | undefined {
  const directives = text.split(',').map((directive) => directive.trim().split('='));
  const ours = directives.find(([target, level]) => level !== undefined && /^mini_app/.test(target ?? ''));
  const general = directives.find((directive) => directive.length === 1);
  return levelNamed(ours?.[1] ?? '') ?? levelNamed(general?.[0] ?? '');
}

function levelNamed(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text.trim().toLowerCase());
}
