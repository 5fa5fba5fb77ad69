/** The built program as a process, and a client that sees every line it writes. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export const issuesSchema = `table: issues
fields:
  - { name: title, type: string, required: true }
  - { name: state, type: string }
  - { name: points, type: number }
  - { name: urgent, type: boolean }
  - { name: tags, type: array }
  - { name: more, type: object }
`;

/** Writes a schema.yaml below a scope's directory. */
export function writeTable(scope: string, name = 'issues', schema = issuesSchema): string {
  const directory = join(scope, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'schema.yaml'), schema);
  return join(directory, `${name}.db`);
}

/** The whole environment of a server: nothing of the machine's own settings. */
export function environment(home: string, more: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: home, MINI_APP_USER_DIR: join(home, 'user'), ...more };
}

/** What a tool answered: the text block, parsed. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

interface Waiting {
  resolve(message: Message): void;
  reject(error: Error): void;
}

export interface PublishedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: {
    readonly properties: Record<string, { readonly type?: string }>;
    readonly required?: string[];
  };
  readonly outputSchema?: object;
}

export interface Message {
  readonly id?: number;
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly structuredContent?: unknown;
    readonly tools?: readonly PublishedTool[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

export class Server {
  readonly lines: string[] = [];
  stderr = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closed: Promise<unknown>;
  #lastId = 0;
  #gone = false;

  /** Starts a server in a directory. Requests may follow at once: they wait in the pipe. */
  constructor(cwd: string, env = environment(cwd)) {
    this.#child = spawn(process.execPath, [program, '--mcp'], { cwd, env });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
    this.#closed = once(this.#child, 'close').then(() => this.#end());
    void this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'e2e', version: '1' },
    }).catch(() => undefined);
    this.send({ method: 'notifications/initialized' });
  }

  send(message: Record<string, unknown>): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** A line as it is, for what no JSON.stringify writes. */
  sendText(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  request(method: string, params: unknown): Promise<Message> {
    const id = ++this.#lastId;
    const answered = this.#answerTo(id);
    this.send({ id, method, params });
    return answered;
  }

  /** @throws Error when the server is gone before it answers, or for an error of the protocol. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    return toAnswer(await this.request('tools/call', { name, arguments: args }));
  }

  /** A call whose arguments are given as JSON text. */
  async callText(name: string, args: string): Promise<Answer> {
    const id = ++this.#lastId;
    const answered = this.#answerTo(id);
    this.sendText(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`);
    return toAnswer(await answered);
  }

  /** A call that has to succeed. */
  async do(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { isError, body, text } = await this.call(name, args);
    if (isError) throw new Error(`${name}: ${text}`);
    return body;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the input, as a client that leaves. */
  leave(): void {
    this.#child.stdin.end();
  }

  /** The exit code once the process and its pipes are closed. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  async stop(): Promise<void> {
    this.leave();
    await this.#closed;
  }

  #answerTo(id: number): Promise<Message> {
    if (this.#gone) return Promise.reject(new Error('the server is gone'));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #receive(line: string): void {
    this.lines.push(line);
    const message = JSON.parse(line) as Message;
    if (message.id === undefined) return;
    this.#waiting.get(message.id)?.resolve(message);
    this.#waiting.delete(message.id);
  }

  #end(): void {
    this.#gone = true;
    for (const { reject } of this.#waiting.values()) reject(new Error(`the server is gone: ${this.stderr}`));
  }
}

function toAnswer({ result, error }: Message): Answer {
  if (error !== undefined) throw new Error(error.message);
  const text = result?.content?.[0]?.text ?? 'null';
  return { isError: result?.isError === true, text, body: JSON.parse(text) };
}
