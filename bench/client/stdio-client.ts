/**
 * A client of an MCP server over stdio with nothing between the caller and the pipe: what it measures is the server.
 * It speaks protocol 2025-11-25 and fails on every answer that is an error.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { memoryOf } from './memory.js';
import { answerOf, type ToolClient, toolResult } from './tool-client.js';

export interface ServerCommand {
  /** What to run; Node by default. */
  readonly program?: string;
  /** Its arguments: for Node the file to run and what follows. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether what it says on stderr is thrown away. */
  readonly quiet?: boolean;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class StdioClient implements ToolClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #lastId = 0;
  #ended = false;

  /** Starts the server and shakes hands with it. */
  static async connect(command: ServerCommand): Promise<StdioClient> {
    const client = new StdioClient(command);
    await client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1.0.0' },
    });
    client.#send({ method: 'notifications/initialized' });
    return client;
  }

  private constructor(command: ServerCommand) {
    this.#child = spawn(command.program ?? process.execPath, [...command.args], {
      cwd: command.cwd,
      env: { ...process.env, ...command.env },
      stdio: ['pipe', 'pipe', command.quiet === true ? 'ignore' : 'inherit'],
    });
    this.#child.on('error', (error) => this.#failAll(error.message));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
    this.#exited = new Promise((resolve) => {
      this.#child.on('exit', () => {
        this.#ended = true;
        this.#failAll('the server ended');
        resolve();
      });
    });
  }

  request(method: string, params: unknown): Promise<unknown> {
    if (this.#ended) return Promise.reject(new Error('the server ended'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  async call(name: string, args: unknown): Promise<unknown> {
    return toolResult(name, await this.request('tools/call', { name, arguments: args }));
  }

  /** Memory of the server and of the processes it started, in MiB, now and at its most; NaN where there is no /proc. */
  memory(): { now: number; peak: number } {
    return memoryOf(this.#child.pid ?? 0);
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill(), 5_000);
    await this.#exited;
    clearTimeout(timer);
  }

  #send(message: Record<string, unknown>): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #receive(line: string): void {
    const answer = JSON.parse(line) as Parameters<typeof answerOf>[0] & { readonly id?: number };
    const waiting = answer.id === undefined ? undefined : this.#waiting.get(answer.id);
    if (answer.id === undefined || waiting === undefined) return;
    this.#waiting.delete(answer.id);
    try {
      waiting.resolve(answerOf(answer));
    } catch (error) {
      waiting.reject(error);
    }
  }

  #failAll(reason: string): void {
    for (const waiting of this.#waiting.values()) waiting.reject(new Error(reason));
    this.#waiting.clear();
  }
}
