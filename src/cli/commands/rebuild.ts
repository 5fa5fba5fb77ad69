/** `rebuild TABLE` */
import { Option } from 'commander';
import { type Rebuildable, type Rebuilt, rebuildable, rebuildTable } from '../../ops/rebuild-table.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { counted, print } from '../io.js';

interface Options extends CommonOptions {
  readonly projection?: Rebuildable[];
}

export const rebuildCommand: CommandDefinition = (program, action) => {
  program
    .command('rebuild')
    .argument('[table]')
    .description('make rows and history anew from the log; discards what was written past it')
    .addOption(new Option('--projection <name...>', 'only these').choices(rebuildable))
    .option('--json', 'one line of JSON')
    .action((name: string | undefined, options: Options) =>
      action(async (context) => {
        const table = context.table(name);
        const caller = context.caller('rebuild');
        const result = await context.work(`rebuild ${table.name}`, (work) =>
          rebuildTable(table, { ...work, caller, projections: options.projection }),
        );
        print(context.io, options.json === true, result, linesOf(result));
        return exitCodes.ok;
      }),
    );
};

function linesOf({ table, events, resumed_at, replaced }: Rebuilt): string[] {
  const from = resumed_at > 0 ? `, taken up at event ${resumed_at}` : '';
  if (replaced.length === 0) return [`${table}: nothing differs from the ${counted(events, 'event')}${from}`];
  return [
    `${table}: rebuilt from ${counted(events, 'event')}${from}`,
    ...replaced.flatMap(({ projection, differences, discarded }) => [
      `  ${projection}: ${counted(differences, 'difference')} discarded, in`,
      ...discarded.slice(0, 20).map((id) => `    ${id}`),
      ...(discarded.length > 20 ? [`    … and ${discarded.length - 20} more (--json lists 1,000)`] : []),
    ]),
  ];
}
