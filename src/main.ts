#!/usr/bin/env node
/**
 * The command. What it is asked to be decides what is loaded: a server starts without the command line, the command line
 * without the server.
 */
import { version } from './version.js';

/** Flags that the next argument belongs to. */
const valued = ['--bind', '--allowed-host', '--allowed-origin'];
const stdioFlags = ['--mcp', '--watch-plugins'];
const httpFlags = ['--mcp-http', '--watch-plugins', ...valued];
const usage = 'mini-app-mcp: give --mcp, --mcp-http or a command; --help shows what there is';

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const [first] = args;
  if (first === undefined) return told(usage, 1);
  if (first === '--version' || first === '-V') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const wanted = startFlags(args);
  if (wanted.stdio && wanted.http) return told('mini-app-mcp: --mcp and --mcp-http exclude each other', 2);
  if (wanted.stdio || wanted.http) {
    const odd = await oddArgument(args, wanted.stdio ? stdioFlags : httpFlags);
    if (odd !== null) return told(odd, 2);
  }
  if (wanted.stdio) return serveStdio(args.includes('--watch-plugins'));
  if (wanted.http) return (await import('./cli/serve-http.js')).serveHttp(args);
  const { runCommandLine } = await import('./cli/program.js');
  const { processIo } = await import('./cli/io.js');
  return runCommandLine(args, processIo);
}

/** The flags that make it a server stand before any command; the values of flags are no commands. */
function startFlags(args: readonly string[]): { stdio: boolean; http: boolean } {
  const command = args.findIndex((arg, at) => !arg.startsWith('-') && !valued.includes(args[at - 1] ?? ''));
  const flags = command === -1 ? args : args.slice(0, command);
  return { stdio: flags.includes('--mcp'), http: flags.includes('--mcp-http') };
}

/** An argument that no server knows is a slip; ignoring it would serve something else than what was asked for. */
async function oddArgument(args: readonly string[], known: readonly string[]): Promise<string | null> {
  const isValue = (at: number) => valued.includes(args[at - 1] ?? '');
  const odd = args.find((arg, at) => !known.includes(arg.replace(/=.*$/s, '')) && !isValue(at));
  if (odd === undefined) return null;
  const { nearest } = await import('./schema/suggest.js');
  const meant = nearest(odd.replace(/=.*$/s, ''), known);
  return `mini-app-mcp: unknown argument '${odd}'${meant === undefined ? '; --help shows what there is' : `; did you mean '${meant}'?`}`;
}

/** A server that cannot start says why in one line, with what to do about it; the client shows it to a person. */
async function serveStdio(isWatchingPlugins: boolean): Promise<number> {
  const { serveStdio } = await import('./cli/serve-stdio.js');
  try {
    return await serveStdio(isWatchingPlugins);
  } catch (error) {
    const { reportFailure } = await import('./cli/program.js');
    const { processIo } = await import('./cli/io.js');
    const { endProcess } = await import('./mcp/end-process.js');
    // Its client still holds stdin open.
    return endProcess(reportFailure(processIo, error));
  }
}

function told(line: string, exitCode: number): number {
  process.stderr.write(`${line}\n`);
  return exitCode;
}
