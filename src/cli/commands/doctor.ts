/** `doctor` */
import { type Diagnosis, doctor, type TableHealth } from '../../ops/doctor.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { bytes, counted, print } from '../io.js';

export const doctorCommand: CommandDefinition = (program, action) => {
  program
    .command('doctor')
    .argument('[table...]', 'default: all of them')
    .description('look for what needs an operator; changes nothing')
    .option('--json', 'one line of JSON')
    .action((names: string[], options: CommonOptions) =>
      action(async (context) => {
        const failed = names.length > 0 ? [] : context.registry.failed();
        const result = doctor({ tables: context.tables(names), failed, now: Date.now() });
        print(context.io, options.json === true, result, linesOf(result));
        return result.ok ? exitCodes.ok : exitCodes.found;
      }),
    );
};

const marks = { error: '✗', warning: '!', info: '·' } as const;

function linesOf({ sqlite_version, tables, findings }: Diagnosis): string[] {
  return [
    `SQLite ${sqlite_version}, ${counted(tables.length, 'table')}`,
    ...tables.map(tableLine),
    ...findings.flatMap(({ table, severity, message, next }) => [
      `${marks[severity]} ${table === null ? '' : `${table}: `}${message}`,
      `    → ${next}`,
    ]),
    ...(findings.length === 0 ? ['Nothing needs attention.'] : []),
  ];
}

function tableLine({ table, state, journal_mode, events, bytes: by }: TableHealth): string {
  if (by === null) return `  ${table}: ${state === 'new' ? 'not used yet' : 'not readable'}`;
  const parts = [
    ['rows', by.rows],
    ['log', by.log],
    ['history', by.history_raw],
    ['archive', by.history_archive],
    ['other', by.other],
    ['free', by.free],
    ['wal', by.wal],
  ] as const;
  const shown = parts.filter(([, size]) => size > 0).map(([name, size]) => `${name} ${bytes(size)}`);
  return `  ${table}: ${counted(events, 'event')}, ${journal_mode}, ${shown.join(', ')}`;
}
