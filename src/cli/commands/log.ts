/** `log TABLE` */
import { InvalidArgumentError } from 'commander';
import { parsePoint } from '../../ops/replay/point.js';
import { type LogEntry, showLog } from '../../ops/show-log.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { print } from '../io.js';

interface Options extends CommonOptions {
  readonly row?: string;
  readonly since?: string;
  readonly limit: number;
}

export const logCommand: CommandDefinition = (program, action) => {
  program
    .command('log')
    .argument('[table]')
    .description('show the events of a table, newest last')
    .option('--row <id>', 'only of this row (or the start of its id)')
    .option('--since <point>', 'events after this sequence number or from this time on, oldest first')
    .option('--limit <n>', 'at most so many', limit, 50)
    .option('--json', 'one line of JSON per event')
    .action((name: string | undefined, options: Options) =>
      action(async (context) => {
        const since = options.since === undefined ? undefined : parsePoint(options.since, 'since');
        const table = await context.prepare(context.table(name));
        for (const entry of showLog(table, { row: options.row, since, limit: options.limit })) {
          print(context.io, options.json === true, entry, [lineOf(entry)]);
        }
        return exitCodes.ok;
      }),
    );
};

function limit(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

function lineOf({ seq, at, actor, tool, type, row, row_version, summary }: LogEntry): string {
  const what = row === null ? '' : ` ${row.slice(0, 8)} v${row_version}`;
  return `${String(seq).padStart(6)}  ${localTime(at)}  ${actor} (${tool})  ${type}${what}  ${summary}`.trimEnd();
}

/** `2026-01-31 12:00:00` in the local zone. */
function localTime(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
