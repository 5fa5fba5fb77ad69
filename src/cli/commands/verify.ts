/** `verify [TABLE...]` */
import { InvalidArgumentError } from 'commander';
import type { OperatedTable } from '../../ops/operated-table.js';
import { verifyGlobal } from '../../ops/verify-global.js';
import { type Anchor, type Verification, verifyTable } from '../../ops/verify-table.js';
import type { CommandDefinition, CommonOptions } from '../command.js';
import type { CliContext } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { counted, print } from '../io.js';

interface Options extends CommonOptions {
  readonly head?: Anchor;
}

export const verifyCommand: CommandDefinition = (program, action) => {
  program
    .command('verify')
    .argument('[table...]', 'default: all of them, and the aliases and published views')
    .description('prove that the log is whole and that rows and history are what it says')
    .option('--head <seq:hash>', 'a head kept elsewhere, which must be in the chain of the one table named', anchor)
    .option('--json', 'one line of JSON per table')
    .action((names: string[], options: Options) =>
      action(async (context) => {
        if (options.head !== undefined && names.length !== 1) {
          program.error('error: --head belongs to one table; name it');
        }
        const tables = context.tables(names);
        // Nothing is proven then, and a script must not take it for a proof.
        if (tables.length === 0) return exitCodes.table;
        const results = [
          ...(await verifyTables(context, tables, options)),
          ...(await verifyGlobals(context, names, options)),
        ];
        return results.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.found;
      }),
    );
};

async function verifyTables(context: CliContext, tables: readonly OperatedTable[], options: Options) {
  const results: Verification[] = [];
  for (const table of tables) {
    await context.prepare(table);
    const run = (work: object) => verifyTable(table, { ...work, head: options.head });
    results.push(shown(context, options, await context.work(`verify ${table.name}`, run)));
  }
  return results;
}

/** Aliases, published views and approvals, where everything is verified. */
async function verifyGlobals(context: CliContext, names: readonly string[], options: Options) {
  const results: Verification[] = [];
  for (const { name, path } of names.length > 0 ? [] : await context.globals()) {
    const run = (work: object) => verifyGlobal(path, { ...work, name });
    results.push(shown(context, options, await context.work(`verify ${name}`, run)));
  }
  return results;
}

function shown(context: CliContext, options: Options, result: Verification): Verification {
  print(context.io, options.json === true, result, linesOf(result));
  return result;
}

function anchor(text: string): Anchor {
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (seq === undefined || hash === undefined) throw new InvalidArgumentError('expected SEQ:HASH as verify prints it');
  return { seq: Number(seq), hash: hash.toLowerCase() };
}

function linesOf({ table, ok, events, head, anchored, checks }: Verification): string[] {
  const told = anchored === null ? '' : anchored ? ', the head kept elsewhere is in it' : '';
  return [
    `${table}: ${ok ? 'ok' : 'NOT OK'}, ${counted(events, 'event')}${told}`,
    ...checks.filter((check) => !check.ok).map(({ name, first_difference }) => `  ✗ ${name}: ${first_difference}`),
    ...checks.filter((check) => check.note !== undefined).map(({ name, note }) => `  · ${name}: ${note}`),
    `  head ${head.seq}:${head.hash}`,
  ];
}
