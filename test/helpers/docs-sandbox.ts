/** A place in which the commands of the documentation run: a project with a table, and nothing of this machine. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { readPage, repository } from './markdown.js';

export const program = join(repository, 'dist/main.js');

export interface Sandbox {
  readonly project: string;
  readonly environment: Record<string, string>;
}

/** Makes the directories in `root`, and the table `issues` with two rows, of which one is changed and one deleted. */
export async function makeSandbox(root: string): Promise<Sandbox> {
  const [home, bin, project] = ['home', 'bin', 'project'].map((name) => join(root, name)) as [string, string, string];
  for (const directory of [home, bin, project]) mkdirSync(directory);
  chmodSync(program, 0o755);
  symlinkSync(program, join(bin, 'mini-app-mcp'));
  for (const folder of ['examples', 'contrib']) {
    if (existsSync(join(repository, folder)))
      cpSync(join(repository, folder), join(project, folder), { recursive: true });
  }
  cpSync(join(project, 'examples/demo/issues'), join(project, '.mini-app/issues'), { recursive: true });
  const sandbox = { project, environment: environmentOf(home, bin) };
  await fill(sandbox);
  const script = readPage('docs/log-format.md').blocks.find((block) => block.language === 'python');
  writeFileSync(join(project, 'verify-log.py'), script?.text ?? '');
  return sandbox;
}

function environmentOf(home: string, bin: string): Record<string, string> {
  const path = [bin, process.env.PATH ?? ''].join(delimiter);
  return { PATH: path, HOME: home, TZ: 'UTC', LANG: 'C.UTF-8', MINI_APP_ACTOR: 'alice', MINI_APP_LOG: 'error' };
}

async function fill({ project, environment }: Sandbox): Promise<void> {
  const { MINI_APP_ACTOR: _, ...rest } = environment;
  // Little history is kept raw, so that a page can show the archive.
  const env = { ...rest, MINI_APP_HISTORY_KEEP_RECENT: '1', MINI_APP_HISTORY_CHUNK_MIN: '0' };
  const client = new Client({ name: 'claude-code', version: '2.0.0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, '--mcp'], cwd: project, env }),
  );
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const result = await client.callTool({ name, arguments: { table: 'issues', ...args } });
    const [content] = result.content as { text: string }[];
    return (JSON.parse(content?.text ?? '{}') as { id?: string }).id ?? '';
  };
  const first = await call('create', { data: { title: 'Login fails', state: 'open', body: 'After the third try.' } });
  const second = await call('create', { data: { title: 'Typo on the start page', state: 'open' } });
  await call('update', { id: first, data: { state: 'done', closed: true } });
  await call('delete', { id: second });
  await client.close();
}

/** Runs shell lines in the project. @returns what both streams said, in order. @throws Error when one of them fails. */
export function runShell({ project, environment }: Sandbox, script: string): string {
  const merged = `exec 2>&1\n${script}`;
  const result = spawnSync('bash', ['-euo', 'pipefail', '-c', merged], {
    cwd: project,
    env: environment,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (result.status === 0) return result.stdout;
  throw new Error(`exit code ${result.status}:\n${result.stdout}`);
}

/** Starts a server as a line says, on a port of the system's choice, and stops it once it serves. @returns its exit code. */
export async function runServer({ project, environment }: Sandbox, line: string): Promise<number | null> {
  const anyPort = line.includes('--bind') ? line.replace(/:8484\b/, ':0') : `${line} --bind 127.0.0.1:0`;
  const script = anyPort.replace('mini-app-mcp', 'exec mini-app-mcp');
  const env = { ...environment, MINI_APP_LOG: 'info' };
  const child = spawn('bash', ['-c', script], { cwd: project, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    said += String(chunk);
    // The signal handlers are installed a moment after the line is printed.
    if (said.includes('serving MCP over streamable HTTP')) setTimeout(() => child.kill('SIGTERM'), 500);
  }
  await ended;
  return child.exitCode;
}

/** Replaces what differs from run to run. A line `…` of the documentation stands for any lines. */
export function comparable(text: string): string[] {
  return text
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'ID')
    .replace(/\b[0-9a-f]{32,64}\b/g, 'HASH')
    .replace(/\b\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d+)?\b/g, 'TIME')
    .replace(/\b[0-9a-f]{8}(?= v\d)/g, 'ID')
    .replace(/\b1[789]\d{8}(\d{3})?\b/g, 'TIME')
    .replace(/\b[\d.]+ (B|kB|MB)\b/g, 'SIZE')
    .replace(/\b\d+\.\d+\.\d+\b/g, 'VERSION')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line, index, lines) => line !== '' || index < lines.length - 1);
}

/** Whether the output is what the documentation shows. */
export function isShown(expected: readonly string[], actual: readonly string[]): boolean {
  const [line, ...rest] = expected;
  if (line === undefined) return actual.length === 0;
  if (line !== '…') return actual[0] === line && isShown(rest, actual.slice(1));
  return actual.concat('').some((_, index) => isShown(rest, actual.slice(index)));
}
