/** `rebuild TABLE` */
import { Option } from 'commander';
import type { OperatedTable } from '../../ops/operated-table.js';
import { rebuildDump } from '../../ops/rebuild-dump.js';
import { type Rebuildable, type Rebuilt, rebuildable, rebuildTable } from '../../ops/rebuild-table.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import type { CliContext } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { counted, print } from '../io.js';

const choices = [...rebuildable, 'dump'] as const;

interface Options extends CommonOptions {
  readonly projection?: (typeof choices)[number][];
}

export const rebuildCommand: CommandDefinition = (program, action) => {
  program
    .command('rebuild')
    .argument('[table]')
    .description('make rows and history anew from the log; discards what was written past it')
    .addOption(new Option('--projection <name...>', 'only these').choices(choices))
    .option('--json', 'one line of JSON')
    .action((name: string | undefined, options: Options) =>
      action(async (context) => {
        const table = context.table(name);
        const wanted: readonly (typeof choices)[number][] = options.projection ?? rebuildable;
        const results = [
          ...(await rebuildTables(context, table, wanted.filter(isRebuildable))),
          ...(wanted.includes('dump') ? [await rebuildFiles(context, table)] : []),
        ];
        for (const { result, lines } of results) print(context.io, options.json === true, result, lines);
        return exitCodes.ok;
      }),
    );
};

interface Shown {
  readonly result: unknown;
  readonly lines: readonly string[];
}

async function rebuildTables(context: CliContext, table: OperatedTable, projections: Rebuildable[]): Promise<Shown[]> {
  if (projections.length === 0) return [];
  const caller = context.caller('rebuild');
  const result = await context.work(`rebuild ${table.name}`, (work) =>
    rebuildTable(table, { ...work, caller, projections }),
  );
  return [{ result, lines: linesOf(result) }];
}

async function rebuildFiles(context: CliContext, table: OperatedTable): Promise<Shown> {
  const place = context.place(table.name);
  const result = await context.work(`rebuild ${table.name} dump`, (work) => rebuildDump(table, place, work));
  return { result, lines: [`${table.name}: ${counted(result.files, 'markdown file')} up to date`] };
}

function isRebuildable(projection: string): projection is Rebuildable {
  return rebuildable.some((name) => name === projection);
}

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
