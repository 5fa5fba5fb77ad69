/** `replay TABLE --to POINT --out FILE` */
import { resolve } from 'node:path';
import { parsePoint } from '../../ops/replay/point.js';
import { replayTo } from '../../ops/replay-to.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { counted, print } from '../io.js';

interface Options extends CommonOptions {
  readonly to: string;
  readonly out: string;
}

export const replayCommand: CommandDefinition = (program, action) => {
  program
    .command('replay')
    .argument('[table]')
    .description('write the table as it was, with its log up to there, into a database file of its own')
    .requiredOption('--to <point>', 'sequence number, Unix seconds (from 1000000000 on) or ISO 8601 time')
    .requiredOption('--out <file>', 'a file that does not exist yet')
    .option('--json', 'one line of JSON')
    .action((name: string | undefined, options: Options) =>
      action(async (context) => {
        const to = parsePoint(options.to);
        const table = await context.prepare(context.table(name));
        const out = resolve(options.out);
        const result = await context.work(`replay ${table.name}`, (work) => replayTo(table, { ...work, to, out }));
        const lines = [`${table.name} as of event ${result.seq}: ${counted(result.rows, 'row')} in ${options.out}`];
        print(context.io, options.json === true, result, lines);
        return exitCodes.ok;
      }),
    );
};
