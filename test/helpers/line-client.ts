/** The 1.x SDK's client, connected by two streams to a server in this process. */
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Both streams as the server sees them, and every line it wrote. */
export interface Streams {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly lines: string[];
}

export function newStreams(): Streams {
  return { input: new PassThrough(), output: new PassThrough(), lines: [] };
}

/** A connected client; closing it ends the server's input. */
export async function connectClient(streams: Streams, name = 'test-client'): Promise<Client> {
  const client = new Client({ name, version: '1.2.3' });
  await client.connect(lineTransport(streams));
  return client;
}

function lineTransport({ input, output, lines }: Streams): Transport {
  const transport: Transport = {
    async start() {
      let rest = '';
      output.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = `${rest}${chunk}`.split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) {
          lines.push(line);
          transport.onmessage?.(JSON.parse(line));
        }
      });
    },
    async send(message: JSONRPCMessage) {
      input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}
