/** `reconcile TABLE` */
import { type Reconciled, reconcileTable } from '../../ops/reconcile-table.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { counted, print } from '../io.js';

export const reconcileCommand: CommandDefinition = (program, action) => {
  program
    .command('reconcile')
    .argument('[table]')
    .description('record what was written past the log, as events')
    .option('--dry-run', 'only say what would be recorded; exit code 1 when there is anything')
    .option('--json', 'one line of JSON')
    .action((name: string | undefined, options: CommonOptions) =>
      action(async (context) => {
        const table = await context.prepare(context.table(name));
        const caller = context.caller('reconcile');
        const result = await context.work(`reconcile ${table.name}`, (work) =>
          reconcileTable(table, { ...work, caller, dryRun: options.dryRun }),
        );
        print(context.io, options.json === true, result, linesOf(result));
        return result.dry_run && result.rows.length > 0 ? exitCodes.found : exitCodes.ok;
      }),
    );
};

function linesOf({ table, dry_run, rows }: Reconciled): string[] {
  if (rows.length === 0) return [`${table}: nothing was written past the log`];
  const verb = dry_run ? 'would be recorded' : 'recorded';
  return [`${table}: ${counted(rows.length, 'foreign change')} ${verb}`, ...rows.map(({ id, op }) => `  ${op} ${id}`)];
}
