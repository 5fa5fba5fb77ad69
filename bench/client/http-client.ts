/** A client of an MCP server over streamable HTTP, protocol 2025-11-25, with one connection that stays open. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { answerOf, type ToolClient, toolResult } from './tool-client.js';

export class HttpClient implements ToolClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #session: string | null = null;
  #lastId = 0;

  static async connect(port: number): Promise<HttpClient> {
    const client = new HttpClient(port);
    await client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1.0.0' },
    });
    await client.#post({ method: 'notifications/initialized' });
    return client;
  }

  private constructor(private readonly port: number) {}

  async request(method: string, params: unknown): Promise<unknown> {
    const text = await this.#post({ id: ++this.#lastId, method, params });
    const events = text.split('\n').filter((line) => line.startsWith('data: {'));
    return answerOf(JSON.parse(events.at(-1)?.slice('data: '.length) ?? text));
  }

  async call(name: string, args: unknown): Promise<unknown> {
    return toolResult(name, await this.request('tools/call', { name, arguments: args }));
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }

  #post(message: Record<string, unknown>): Promise<string> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          port: this.port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/mcp',
          agent: this.#agent,
          headers: this.#headers(body),
        },
        (response) => this.#read(response).then(resolve, reject),
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  #headers(body: string): Record<string, string> {
    return {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      Accept: 'application/json, text/event-stream',
      ...(this.#session === null ? {} : { 'Mcp-Session-Id': this.#session, 'MCP-Protocol-Version': '2025-11-25' }),
    };
  }

  async #read(response: IncomingMessage): Promise<string> {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
    const session = response.headers['mcp-session-id'];
    if (typeof session === 'string') this.#session = session;
    if ((response.statusCode ?? 500) >= 300) throw new Error(`HTTP ${response.statusCode}: ${text}`);
    return text;
  }
}
