/** Where the server listens. */
import { isIP } from 'node:net';
import { StoreError } from '../../errors.js';

export interface BindAddress {
  /** An address or a host name; IPv6 without brackets. */
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
}

export const defaultBind = '127.0.0.1:8484';

/** Reads `HOST:PORT`; an IPv6 address stands in brackets. @throws StoreError CONFIG_ERROR. */
export function parseBind(text: string): BindAddress {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/i.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535 || (match?.[1] !== undefined && isIP(host) !== 6)) throw malformed(text);
  return { host, port };
}

/** The address as it stands in a URL. */
export function showAddress({ host, port }: BindAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether only this machine reaches the address. A name other than localhost may resolve to anything. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^::ffff:(?=\d)/, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** @throws StoreError CONFIG_ERROR for an address that others reach when no token guards it. */
export function refuseOpenBind(bind: BindAddress, token: string | null): void {
  if (token !== null || isLoopback(bind.host)) return;
  throw new StoreError(
    'CONFIG_ERROR',
    {
      detail: `refusing to bind non-loopback address ${showAddress(bind)} without a token; set MINI_APP_HTTP_TOKEN`,
      variable: 'MINI_APP_HTTP_TOKEN',
    },
    { hint: 'Set MINI_APP_HTTP_TOKEN to a long random text (openssl rand -hex 32), or bind 127.0.0.1.' },
  );
}

function malformed(text: string): StoreError<'CONFIG_ERROR'> {
  const detail = `--bind must be HOST:PORT, such as ${defaultBind} or [::1]:8484; got '${text}'`;
  return new StoreError('CONFIG_ERROR', { detail }, { hint: 'Correct --bind, then start again.' });
}
