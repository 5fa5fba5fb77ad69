import { expect, it } from 'vitest';
import { isLoopback, parseBind, refuseOpenBind, showAddress } from '../../../src/mcp/http/bind-address.js';

it.each([
  ['127.0.0.1:8484', { host: '127.0.0.1', port: 8484 }, true],
  ['127.9.9.9:1', { host: '127.9.9.9', port: 1 }, true],
  ['localhost:0', { host: 'localhost', port: 0 }, true],
  ['[::1]:8484', { host: '::1', port: 8484 }, true],
  ['[::ffff:127.0.0.1]:8484', { host: '::ffff:127.0.0.1', port: 8484 }, true],
  ['0.0.0.0:8484', { host: '0.0.0.0', port: 8484 }, false],
  ['[::]:8484', { host: '::', port: 8484 }, false],
  ['127.example.com:80', { host: '127.example.com', port: 80 }, false],
  ['central-host:8484', { host: 'central-host', port: 8484 }, false],
])('%s is an address to listen on', (text, address, loopback) => {
  expect(parseBind(text)).toEqual(address);
  expect(showAddress(address)).toBe(text);
  expect(isLoopback(address.host)).toBe(loopback);
  expect(() => refuseOpenBind(address, 'token')).not.toThrow();
  if (loopback) expect(() => refuseOpenBind(address, null)).not.toThrow();
  else expect(() => refuseOpenBind(address, null)).toThrow(`refusing to bind non-loopback address ${text}`);
});

it.each(['', '8484', ':8484', 'localhost', 'localhost:', 'a b:1', '::1:8484', '[x]:1', 'h:65536', 'http://h:1'])(
  "'%s' is none",
  (text) => expect(() => parseBind(text)).toThrow('--bind must be HOST:PORT'),
);
