import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from '../../src/mcp/line-reader.js';
import { createLogger } from '../../src/mcp/log.js';
import { StdioTransport } from '../../src/mcp/stdio-transport.js';
import { protocolOutput } from '../../src/mcp/stdout-guard.js';
import { type JsonText, RawJson } from '../../src/schema/json.js';

function connected(highWaterMark = 1 << 20, ready?: Promise<unknown>) {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark });
  const received: JSONRPCMessage[] = [];
  const ends: string[] = [];
  const transport = new StdioTransport({
    input,
    output: protocolOutput(output),
    log: createLogger({ write: () => undefined }),
    onEnd: (reason) => void ends.push(reason),
    ready,
  });
  transport.onmessage = (message) => void received.push(message);
  void transport.start();
  const written = () => String(output.read() ?? '');
  return { input, output, transport, received, ends, written };
}

const ping = (id: number | string) => ({ jsonrpc: '2.0' as const, id, method: 'ping' });
const text = (value: unknown) => `${JSON.stringify(value)}\n`;

describe('before it is ready', () => {
  const list = (id: number) => ({ jsonrpc: '2.0' as const, id, method: 'tools/list' });
  const cancel = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: { requestId: 2 } };

  it('lets the greeting through and holds everything else, in order', async () => {
    let release: (value?: unknown) => void = () => undefined;
    const ready = new Promise((resolve) => {
      release = resolve;
    });
    const { input, received } = connected(undefined, ready);
    input.write([ping(1), list(2), cancel, ping(3), list(4)].map(text).join(''));
    await turn();
    expect(received).toEqual([ping(1), ping(3)]);
    release();
    await turn();
    expect(received).toEqual([ping(1), ping(3), list(2), cancel, list(4)]);
    input.write(text(list(5)));
    await turn();
    expect(received.at(-1)).toEqual(list(5));
  });

  it('delivers nothing held when the start fails: the process ends then', async () => {
    const { input, received } = connected(undefined, Promise.reject(new Error('no')));
    input.write(text(list(1)));
    await turn();
    expect(received).toEqual([]);
  });
});

describe('reading', () => {
  it('takes lines however they are cut, with CRLF and blank lines between', async () => {
    const messages = ['ä', '日本', '😀', 'x'].map((id) => ping(id));
    const bytes = Buffer.from(`\r\n${messages.map((message) => `${JSON.stringify(message)}\r\n\n`).join('')}`);
    const { input, received } = connected();
    for (const byte of bytes) input.write(Buffer.of(byte));
    await turn();
    expect(received).toEqual(messages);
  });

  it('answers a line that is not JSON and goes on', async () => {
    const { input, received, written } = connected();
    input.write(`{"jsonrpc":"2.0",\n${text(ping(1))}`);
    await turn();
    expect(received).toEqual([ping(1)]);
    expect(JSON.parse(written())).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
  });

  it('answers JSON that is no message under its id', async () => {
    const { input, written, received } = connected();
    input.write(text({ id: 'a', method: 'ping' }));
    await turn();
    expect(JSON.parse(written())).toMatchObject({ id: 'a', error: { code: -32600 } });
    expect(received).toEqual([]);
  });

  it('refuses bytes that are not UTF-8 instead of damaging them', async () => {
    const { input, written } = connected();
    input.write(Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}\n')]));
    await turn();
    expect(written()).toContain('not UTF-8');
  });

  it('takes a last line without a line end, then ends', async () => {
    const { input, received, ends } = connected();
    input.end(JSON.stringify(ping(1)));
    await turn();
    await turn();
    expect(received).toEqual([ping(1)]);
    expect(ends).toEqual(['stdin ended']);
  });

  it('gives the same lines for every way of cutting the same bytes', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll(/[\r\n]/g, '').trim()));
    fc.assert(
      fc.property(lines, fc.array(fc.nat(), { maxLength: 20 }), (given, cuts) => {
        const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''));
        const reader = new LineReader();
        const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const read = borders.slice(1).flatMap((end, index) => reader.push(bytes.subarray(borders[index], end)));
        expect(read).toEqual(given.filter((line) => line !== '').map((line) => ({ text: line })));
      }),
    );
  });

  it('refuses a line over the limit once and reads the next one', () => {
    const reader = new LineReader(10);
    const lines = ['123456', '78901', '2345\nok\n'].flatMap((chunk) => reader.push(Buffer.from(chunk)));
    expect(lines).toEqual([{ error: 'the line is longer than 64 MiB' }, { text: 'ok' }]);
  });
});

describe('writing', () => {
  it('writes raw JSON digit for digit', async () => {
    const { transport, written } = connected();
    const data = new RawJson('{"n":12345678901234567890,"2":1.0}' as JsonText);
    await transport.send({ jsonrpc: '2.0', id: 1, result: { structuredContent: { value: data } } });
    expect(written()).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"value":{"n":12345678901234567890,"2":1.0}}}}\n',
    );
  });

  it('waits for a slow reader and takes no further request meanwhile', async () => {
    const { input, output, transport } = connected(10);
    let sent = false;
    const sending = transport.send({ jsonrpc: '2.0', id: 1, result: { text: 'more than ten bytes' } }).then(() => {
      sent = true;
    });
    await turn();
    expect([sent, input.isPaused()]).toEqual([false, true]);
    output.resume();
    await sending;
    await turn();
    expect(input.isPaused()).toBe(false);
  });

  it('is drained when every accepted request is answered or cancelled', async () => {
    const { input, transport } = connected();
    input.write(text(ping(1)) + text(ping('2')));
    await turn();
    let drained = false;
    const draining = transport.drained().then(() => {
      drained = true;
    });
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    await turn();
    expect(drained).toBe(false);
    input.write(text({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '2' } }));
    await draining;
  });

  it('ends quietly when nobody reads any more', async () => {
    const { output, ends, transport } = connected();
    output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await turn();
    expect(ends).toEqual(['stdout is closed']);
    await transport.drained();
    await transport.close();
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  });
});
