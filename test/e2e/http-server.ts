/** The built program serving HTTP as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from './server.js';

export class HttpServer {
  stderr = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    child.stderr?.on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** Resolves when it listens, on a port of the system's choice. @throws Error with what it wrote when it ends first. */
  static async start(cwd: string, env: Record<string, string>, flags: readonly string[] = []): Promise<HttpServer> {
    const child = spawn(process.execPath, [program, '--mcp-http', '--bind', '127.0.0.1:0', ...flags], {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const address = await new Promise<string>((resolve, reject) => {
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
        const found = /addr=(\S+)/.exec(stderr)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(`the server is gone: ${stderr}`)));
    });
    return new HttpServer(child, `http://${address}/mcp`);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** The exit code, once it has one. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}
