/** The command line, put together. Loaded only when there is a command to run: a server starts without it. */
import { Command, CommanderError } from 'commander';
import { isStoreError } from '../errors.js';
import { storageError } from '../events/storage-error.js';
import { version } from '../version.js';
import type { Action } from './command.js';
import { approvalsCommand } from './commands/approvals.js';
import { compactCommand } from './commands/compact.js';
import { doctorCommand } from './commands/doctor.js';
import { logCommand } from './commands/log.js';
import { purgeHistoryCommand } from './commands/purge-history.js';
import { rebuildCommand } from './commands/rebuild.js';
import { reconcileCommand } from './commands/reconcile.js';
import { replayCommand } from './commands/replay.js';
import { restoreTableCommand } from './commands/restore-table.js';
import { verifyCommand } from './commands/verify.js';
import { CliContext } from './context.js';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.js';
import type { Io } from './io.js';
import { promptHint } from './prompt-hint.js';

const commands = [
  logCommand,
  verifyCommand,
  rebuildCommand,
  reconcileCommand,
  replayCommand,
  restoreTableCommand,
  purgeHistoryCommand,
  compactCommand,
  doctorCommand,
  approvalsCommand,
];

/** Runs one command line (without `node` and the script). Never throws: what fails is told on stderr. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<ExitCode> {
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  let exitCode: ExitCode = exitCodes.ok;
  const action: Action = async (run) => {
    const context = new CliContext(io, interrupt.signal);
    try {
      exitCode = await run(context);
    } finally {
      await context.registry.close();
    }
  };
  try {
    await buildProgram(io, action).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (interrupt.signal.aborted) return interrupted(io);
    return reportFailure(io, error);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

/** The whole program, for running it and for printing its help. */
export function buildProgram(io: Io, action: Action): Command {
  const program = new Command('mini-app-mcp')
    .description('Agent-first, event-sourced table store over MCP.')
    .version(version)
    .option('--mcp', 'serve MCP on stdin and stdout')
    .option('--mcp-http', 'serve MCP over HTTP')
    .option('--bind <address>', 'where --mcp-http listens', '127.0.0.1:8484')
    .option('--watch-plugins', 'start plugins in workers anew when their files change')
    .option('--allowed-host <name...>', 'more host names that --mcp-http answers to')
    .option('--allowed-origin <origin...>', 'web origins that may call --mcp-http')
    .addHelpText('after', exitCodeHelp)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) })
    .showHelpAfterError('(--help shows what there is)');
  for (const define of commands) define(program, action);
  return program;
}

const exitCodeHelp = `
Exit codes: 0 done, nothing found; 1 differences or findings; 2 usage; 3 table or configuration; 4 storage; 5 busy;
130 interrupted.`;

function interrupted(io: Io): ExitCode {
  io.err('Interrupted. Nothing is half done.\n');
  return exitCodes.interrupted;
}

/** Says what went wrong and what to do about it, in two lines. Returns the exit code. */
export function reportFailure(io: Io, error: unknown): ExitCode {
  const known = storageError(error);
  if (isStoreError(known)) {
    io.err(`Error [${known.code}]: ${known.message}\n`);
    if ('tables' in known.fields && Array.isArray(known.fields.tables) && known.fields.tables.length > 0) {
      io.err(`The tables are: ${known.fields.tables.join(', ')}\n`);
    }
    io.err(`Hint: ${promptHint(known)}\n`);
  } else {
    io.err(`Error [INTERNAL]: ${known instanceof Error ? known.message : String(known)}\n`);
    io.err('Hint: mini-app-mcp doctor looks at the tables and says what is wrong with them.\n');
  }
  return exitCodeOf(known);
}
