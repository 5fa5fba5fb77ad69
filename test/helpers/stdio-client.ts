/** A client that speaks raw lines, so that every byte of the server is seen. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The server script bundled into a directory, so that a test pays for starting a server and not for compiling one. */
export async function bundleServer(directory: string): Promise<string> {
  const outfile = join(directory, 'stdio-server.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./stdio-server.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  return outfile;
}

export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

export class StdioClient {
  readonly messages: Message[] = [];
  readonly lines: string[] = [];
  stderr = '';
  readonly #child: ChildProcessWithoutNullStreams;
  #rest = '';

  constructor(script: string, environment: Record<string, string> = {}) {
    this.#child = spawn(process.execPath, [script], { env: { ...process.env, ...environment } });
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#take(chunk));
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.#child.stdin.on('error', () => undefined);
  }

  get stdin() {
    return this.#child.stdin;
  }

  get stdout() {
    return this.#child.stdout;
  }

  send(message: Record<string, unknown>): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async request(message: { id: string | number } & Record<string, unknown>): Promise<Message> {
    this.send(message);
    return this.answerTo(message.id);
  }

  /** The 2025 handshake. */
  async initialize(protocolVersion = '2025-11-25'): Promise<Message> {
    const clientInfo = { name: 'raw-client', version: '9' };
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const answer = await this.request({ id: 'init', method: 'initialize', params });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  call(id: string | number, name: string, args: Record<string, unknown> = {}): Promise<Message> {
    return this.request({ id, method: 'tools/call', params: { name, arguments: args } });
  }

  async answerTo(id: string | number | null): Promise<Message> {
    return this.#until(() => this.messages.find((message) => message.id === id && message.method === undefined));
  }

  async logged(part: string): Promise<void> {
    await this.#until(() => (this.stderr.includes(part) ? true : undefined));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The exit code, and the milliseconds from now to the end of the process. */
  async ended(): Promise<{ readonly code: number | null; readonly ms: number }> {
    const started = performance.now();
    if (this.#child.exitCode === null) await once(this.#child, 'close');
    return { code: this.#child.exitCode, ms: performance.now() - started };
  }

  #take(chunk: string): void {
    const lines = `${this.#rest}${chunk}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.lines.push(line);
      this.messages.push(JSON.parse(line));
    }
  }

  async #until<T>(found: () => T | undefined): Promise<T> {
    for (;;) {
      const value = found();
      if (value !== undefined) return value;
      if (this.#child.exitCode !== null) throw new Error(`the server ended: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
