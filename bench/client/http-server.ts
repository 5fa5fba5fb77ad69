/** The built server on a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { environment, program } from '../product.js';

export class HttpServer {
  /** Starts it on a directory of tables and waits until it serves. */
  static async start(directory: string): Promise<HttpServer> {
    const child = spawn(process.execPath, [program, '--mcp-http', '--bind', '127.0.0.1:0'], {
      cwd: directory,
      env: { ...process.env, ...environment(directory), MINI_APP_LOG: 'info' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const line of createInterface({ input: child.stderr })) {
      const port = /addr=127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port === undefined) continue;
      child.stderr.resume();
      return new HttpServer(child, Number(port));
    }
    throw new Error('the server ended before it served');
  }

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}
