/** The flags of `--mcp-http`. */
import { parseArgs } from 'node:util';
import { StoreError } from '../errors.js';
import { type BindAddress, defaultBind, parseBind } from '../mcp/http/bind-address.js';

export interface HttpFlags {
  readonly bind: BindAddress;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly isWatchingPlugins: boolean;
}

/** Reads `--bind HOST:PORT --allowed-host NAME… --allowed-origin ORIGIN…`. @throws StoreError CONFIG_ERROR naming the flag. */
export function parseHttpFlags(args: readonly string[]): HttpFlags {
  const {
    bind,
    'watch-plugins': isWatchingPlugins = false,
    'allowed-host': hosts = [],
    'allowed-origin': origins = [],
  } = valuesOf(args);
  for (const host of hosts) if (!/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i.test(host)) throw wrong('host', host);
  for (const origin of origins) if (!isOrigin(origin)) throw wrong('origin', origin);
  return { bind: parseBind(bind ?? defaultBind), allowedHosts: hosts, allowedOrigins: origins, isWatchingPlugins };
}

const repeated = { type: 'string', multiple: true } as const;

function valuesOf(args: readonly string[]) {
  try {
    const options = {
      'mcp-http': { type: 'boolean' },
      bind: { type: 'string' },
      'watch-plugins': { type: 'boolean' },
      'allowed-host': repeated,
      'allowed-origin': repeated,
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new StoreError('CONFIG_ERROR', { detail }, { hint: 'mini-app-mcp --help shows the flags.' });
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '').toLowerCase();
}

function wrong(flag: 'host' | 'origin', text: string): StoreError<'CONFIG_ERROR'> {
  const form = flag === 'host' ? 'a host name without a port' : 'an origin such as https://app.example';
  const detail = `--allowed-${flag} must be ${form}; got '${text}'`;
  return new StoreError('CONFIG_ERROR', { detail }, { hint: 'Correct the flag, then start again.' });
}
