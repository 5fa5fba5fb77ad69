/** Every refusal of the HTTP layer, and the order in which they come. */
import { connect as connectSocket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpOptions } from '../../../src/mcp/http/serve-http.js';
import { type Ask, ask, callOf, initialize, rpc, startServer, type TestServer } from '../../helpers/http-server.js';
import { tempDir } from '../../helpers/temp-dir.js';

const token = 'a-long-secret-token';
let server: TestServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: Partial<HttpOptions> = {}): Promise<(request: Ask) => ReturnType<typeof ask>> {
  server = await startServer(tempDir(), options);
  const { port } = server.address;
  return (request) => ask(port, request);
}

const ping = rpc(1, 'ping');
const bearer = { Authorization: `Bearer ${token}` };

describe('the Host header', () => {
  it.each(['localhost', 'localhost:1', 'LOCALHOST', '127.0.0.1:9', '[::1]:8484'])(
    '%s is this machine',
    async (Host) => {
      expect((await (await start())({ headers: { Host }, body: ping })).status).toBe(200);
    },
  );

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io:80', '10.0.0.1'])(
    '%s is refused',
    async (Host) => {
      const answer = await (await start())({ headers: { Host }, body: 'not even JSON' });
      expect(answer).toMatchObject({
        status: 403,
        json: { error: { message: expect.stringContaining('Host') }, id: null },
      });
    },
  );

  it.each(['a b', 'user@localhost', 'localhost:x', ''])("'%s' is malformed", async (Host) => {
    expect((await (await start())({ headers: { Host }, body: ping })).status).toBe(400);
  });

  it('may be one that the operator allows, and no other on any bind', async () => {
    const send = await start({ allowedHosts: ['Central.Host'] });
    expect((await send({ headers: { Host: 'central.host:8484' }, body: ping })).status).toBe(200);
    expect((await send({ headers: { Host: 'other.host' }, body: ping })).status).toBe(403);
  });

  it('is not looked at on an open bind without a list', async () => {
    const send = await start({ bind: { host: '0.0.0.0', port: 0 }, token });
    expect((await send({ headers: { Host: 'anything.example', ...bearer }, body: ping })).status).toBe(200);
  });
});

describe('the Origin header', () => {
  it.each(['null', 'https://evil.example', 'http://localhost.evil.example', 'file://', 'nonsense'])(
    '%s is refused',
    async (Origin) => {
      const answer = await (await start())({ headers: { Origin }, body: ping });
      expect(answer).toMatchObject({ status: 403, json: { error: { message: expect.stringContaining('Origin') } } });
    },
  );

  it('of this machine passes on a loopback bind only, and gets no CORS headers', async () => {
    const headers = { Origin: 'http://localhost:3000' };
    const answer = await (await start())({ headers, body: ping });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined]);
    await server?.close();
    const open = await start({ bind: { host: '0.0.0.0', port: 0 }, token });
    expect((await open({ headers: { ...headers, ...bearer }, body: ping })).status).toBe(403);
  });

  it('that the operator allows gets CORS headers, and its preflight needs no token', async () => {
    const send = await start({ allowedOrigins: ['https://app.example'], token });
    const headers = { Origin: 'https://app.example' };
    const preflight = await send({ method: 'OPTIONS', headers });
    expect(preflight).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': 'https://app.example' },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
    const answer = await send({ headers: { ...headers, ...bearer }, body: initialize });
    expect(answer.headers['access-control-expose-headers']).toContain('Mcp-Session-Id');
    expect((await send({ headers, body: ping })).headers['access-control-allow-origin']).toBe('https://app.example');
  });
});

describe('the token', () => {
  it.each([
    ['none', {}],
    ['another', { Authorization: 'Bearer other' }],
    ['a longer one', { Authorization: `Bearer ${token}x` }],
    ['another scheme', { Authorization: `Basic ${token}` }],
    ['two', { Authorization: `Bearer ${token} ${token}` }],
  ])('%s is refused before anything is parsed', async (_name, headers) => {
    const answer = await (await start({ token }))({ headers: { ...headers, 'Content-Type': '' }, body: '{' });
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'content-type': 'application/json', 'www-authenticate': expect.stringMatching(/^Bearer /) },
      json: { error: { message: 'missing or invalid bearer token' } },
    });
    expect(answer.text).not.toContain(token);
  });

  it('is asked for everywhere, on loopback too, after host and origin', async () => {
    const send = await start({ token });
    expect((await send({ path: '/elsewhere', method: 'GET' })).status).toBe(401);
    expect((await send({ headers: { Origin: 'null' }, body: ping })).status).toBe(403);
    expect((await send({ headers: bearer, body: ping })).status).toBe(200);
    expect((await send({ headers: { Authorization: `bearer ${token}` }, body: ping })).status).toBe(200);
  });

  it('is not asked for by the health check, which tells nothing', async () => {
    const answer = await (await start({ token }))({ method: 'GET', path: '/healthz' });
    expect([answer.status, answer.text]).toEqual([200, '{"ok":true}']);
  });
});

describe('what is no request of the protocol', () => {
  const cases: [string, Ask, number][] = [
    ['another path', { path: '/', body: ping }, 404],
    ['another method', { method: 'PUT', body: ping }, 405],
    ['another content type', { headers: { 'Content-Type': 'text/plain' }, body: ping }, 415],
    ['no content type', { headers: { 'Content-Type': '' }, body: ping }, 415],
    ['an Accept without JSON', { headers: { Accept: 'text/html' }, body: ping }, 406],
    ['a GET that wants no stream', { method: 'GET', headers: { Accept: 'application/json' } }, 406],
    ['a GET without a session', { method: 'GET' }, 400],
    ['broken JSON', { body: '{"jsonrpc":' }, 400],
    ['an empty body', { body: '' }, 400],
    ['no JSON-RPC', { body: { hello: 1 } }, 400],
    ['an empty batch', { body: [] }, 400],
    ['an endless batch', { body: Array.from({ length: 101 }, (_, id) => rpc(id, 'ping')) }, 400],
    ['an id twice in a batch', { body: [ping, ping] }, 400],
    ['initialize in a batch', { body: [initialize, ping] }, 400],
    ['an unknown protocol version', { headers: { 'MCP-Protocol-Version': '1999-01-01' }, body: ping }, 400],
    ['a session id of spaces', { headers: { 'Mcp-Session-Id': 'a b' }, body: ping }, 404],
    ['an unknown 2026 revision', modernOf('2999-01-01'), 400],
  ];

  it.each(cases)('%s is answered in JSON', async (_name, request, status) => {
    const answer = await (await start())(request);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
    if (status === 405) expect(answer.headers.allow).toBe('GET, POST, DELETE');
  });

  it('a body of 8 MiB and more is refused whether or not it says its length', async () => {
    const send = await start();
    const body = JSON.stringify(callOf(1, 'echo', { text: 'x'.repeat(8 * 1024 * 1024) }));
    expect(await send({ body })).toMatchObject({ status: 413, json: { error: { message: expect.any(String) } } });
    const port = server?.address.port ?? 0;
    const head =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    expect(await raw(port, head + chunk.repeat(9))).toMatch(/^HTTP\/1.1 413 /);
    expect((await send({ body: callOf(1, 'echo', { text: 'still here' }) })).text).toContain('still here');
  });

  it('bytes that are no HTTP are answered and cut off', async () => {
    await start();
    expect(await raw(server?.address.port ?? 0, 'hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"error"/s);
  });
});

describe('too much at once', () => {
  it('is refused for one address with 429, and others are served again afterwards', async () => {
    const send = await start({ limits: { perClient: 2, total: 3 } });
    const slow = [1, 2].map((id) => send({ body: callOf(id, 'slow', { ms: 300 }) }));
    await expect.poll(() => server?.demo.events.length).toBe(2);
    expect(await send({ body: ping })).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    await Promise.all(slow);
    expect((await send({ body: ping })).status).toBe(200);
  });

  it('is refused for all with 503', async () => {
    const send = await start({ limits: { perClient: 2, total: 1 } });
    const slow = send({ body: callOf(1, 'slow', { ms: 200 }) });
    await expect.poll(() => server?.demo.events.length).toBe(1);
    expect((await send({ body: ping })).status).toBe(503);
    await slow;
  });
});

function modernOf(version: string): Ask {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': version };
  return {
    headers: { 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/list' },
    body: rpc(1, 'tools/list', { _meta }),
  };
}

function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connectSocket(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
