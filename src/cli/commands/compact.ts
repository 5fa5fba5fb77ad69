/** `compact TABLE` */
import { type Compacted, compactTable } from '../../ops/compact-table.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { bytes, counted, print } from '../io.js';

interface Options extends CommonOptions {
  readonly vacuum?: true;
}

export const compactCommand: CommandDefinition = (program, action) => {
  program
    .command('compact')
    .argument('[table]')
    .description("make a table's files small: archive of large rows, log of tables with history: off, free pages")
    .option('--vacuum', 'write the whole file anew')
    .option('--json', 'one line of JSON')
    .action((name: string | undefined, options: Options) =>
      action(async (context) => {
        const table = context.table(name);
        const caller = context.caller('compact');
        const result = await context.work(`compact ${table.name}`, (work) =>
          compactTable(table, { ...work, caller, vacuum: options.vacuum }),
        );
        print(context.io, options.json === true, result, linesOf(result));
        return exitCodes.ok;
      }),
    );
};

function linesOf({ table, events_removed, archive, bytes_before, bytes_after }: Compacted): string[] {
  return [
    `${table}: ${bytes(bytes_before)} before, ${bytes(bytes_after)} now`,
    ...(events_removed > 0 ? [`  ${counted(events_removed, 'event')} removed from the log`] : []),
    ...(archive.rows > 0
      ? [`  ${counted(archive.rows, 'large row')}: ${archive.chunks_before} chunks before, ${archive.chunks_after} now`]
      : []),
  ];
}
