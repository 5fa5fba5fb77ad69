/** `purge-history TABLE` */
import { InvalidArgumentError } from 'commander';
import { type Purged, purgeHistory } from '../../ops/purge-history.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { counted, print } from '../io.js';

interface Options extends CommonOptions {
  readonly days: number;
  readonly maxPerRow: number;
  readonly archive?: true;
}

export const purgeHistoryCommand: CommandDefinition = (program, action) => {
  program
    .command('purge-history')
    .argument('[table]')
    .description('remove old history entries; the events of the rows stay in the log')
    .option('--days <n>', 'entries older than this go', count, 0)
    .option('--max-per-row <n>', 'the newest so many of each row stay', count, 0)
    .option('--archive', 'reach into the archive too')
    .option('--dry-run', 'only say what would go')
    .option('--json', 'one line of JSON')
    .action((name: string | undefined, options: Options) =>
      action(async (context) => {
        const table = context.table(name);
        const caller = context.caller('purge-history');
        const { days, maxPerRow, archive, dryRun } = options;
        const result = await context.work(`purge-history ${table.name}`, (work) =>
          purgeHistory(table, { ...work, caller, days, maxPerRow, archive, dryRun }),
        );
        print(context.io, options.json === true, result, [lineOf(result)]);
        return exitCodes.ok;
      }),
    );
};

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

function lineOf({ table, dry_run, rows, entries, archived_entries }: Purged): string {
  const verb = dry_run ? 'would be removed' : 'removed';
  const archived = archived_entries > 0 ? ` (${archived_entries.toLocaleString('en-US')} of them archived)` : '';
  return `${table}: ${entries === 1 ? '1 entry' : `${entries.toLocaleString('en-US')} entries`}${archived} of ${counted(rows, 'row')} ${verb}`;
}
