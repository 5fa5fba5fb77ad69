/** The flags of `--mcp-http`. */
import { parseArgs } from 'node:util';
import { StoreError } from '../errors.js';
import { type BindAddress, defaultBind, parseBind } from '../mcp/http/bind-address.js';

export interface HttpFlags {
  readonly bind: BindAddress;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** What the flags say, as text. */
export interface HttpFlagTexts {
  readonly bind?: string | undefined;
  readonly allowedHost?: readonly string[] | undefined;
  readonly allowedOrigin?: readonly string[] | undefined;
}

/** Reads `--bind HOST:PORT --allowed-host NAME… --allowed-origin ORIGIN…`. @throws StoreError CONFIG_ERROR naming the flag. */
export function parseHttpFlags(args: readonly string[]): HttpFlags {
  const repeated = { type: 'string', multiple: true } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'mcp-http': { type: 'boolean' },
        bind: { type: 'string' },
        'allowed-host': repeated,
        'allowed-origin': repeated,
      },
    });
    return httpFlags({
      bind: values.bind,
      allowedHost: values['allowed-host'],
      allowedOrigin: values['allowed-origin'],
    });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    throw new StoreError('CONFIG_ERROR', { detail }, { hint: 'See mini-app-mcp --help.' });
  }
}

/** @throws StoreError CONFIG_ERROR naming the flag. */
export function httpFlags(texts: HttpFlagTexts): HttpFlags {
  const { allowedHost = [], allowedOrigin = [] } = texts;
  for (const host of allowedHost) if (!/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i.test(host)) throw wrong('host', host);
  for (const origin of allowedOrigin) if (!isOrigin(origin)) throw wrong('origin', origin);
  return { bind: parseBind(texts.bind ?? defaultBind), allowedHosts: allowedHost, allowedOrigins: allowedOrigin };
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '').toLowerCase();
}

function wrong(flag: 'host' | 'origin', text: string): StoreError<'CONFIG_ERROR'> {
  const form = flag === 'host' ? 'a host name without a port' : 'an origin such as https://app.example';
  const detail = `--allowed-${flag} must be ${form}; got '${text}'`;
  return new StoreError('CONFIG_ERROR', { detail }, { hint: 'Correct the flag, then start again.' });
}
