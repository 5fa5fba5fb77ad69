/** `restore-table TABLE --to POINT` */
import { parsePoint } from '../../ops/replay/point.js';
import { restoreTable, type TableRestored } from '../../ops/restore-table.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { counted, print } from '../io.js';

interface Options extends CommonOptions {
  readonly to: string;
}

export const restoreTableCommand: CommandDefinition = (program, action) => {
  program
    .command('restore-table')
    .argument('[table]')
    .description('bring every row back to what it was; nothing is removed from the log, so it can be undone')
    .requiredOption('--to <point>', 'sequence number, Unix seconds (from 1000000000 on) or ISO 8601 time')
    .option('--dry-run', 'only say what would change')
    .option('--json', 'one line of JSON')
    .action((name: string | undefined, options: Options) =>
      action(async (context) => {
        const to = parsePoint(options.to);
        const table = context.table(name);
        const caller = context.caller('restore-table');
        const result = await context.work(`restore-table ${table.name}`, (work) =>
          restoreTable(table, { ...work, caller, to, dryRun: options.dryRun }),
        );
        print(context.io, options.json === true, result, linesOf(result));
        return exitCodes.ok;
      }),
    );
};

function linesOf({ table, to, dry_run, changed, returned, deleted }: TableRestored): string[] {
  const verb = dry_run ? 'would go' : 'went';
  return [
    `${table} ${verb} back to event ${to}`,
    `  ${counted(changed, 'row')} changed, ${number(returned)} brought back, ${number(deleted)} deleted`,
  ];
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
