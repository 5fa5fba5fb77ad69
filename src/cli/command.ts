/** What a file of `commands/` exports: one command of the program. */
import type { Command } from 'commander';
import type { CliContext } from './context.js';
import type { ExitCode } from './exit-codes.js';

/** Declares a command; its action runs with a context and answers with the exit code. */
export type CommandDefinition = (program: Command, action: Action) => void;

/** Wraps what a command does. */
export type Action = (run: (context: CliContext) => Promise<ExitCode>) => Promise<void>;

export interface CommonOptions {
  readonly json?: true;
  readonly dryRun?: true;
}
