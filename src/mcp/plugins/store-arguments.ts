/**
 * The arguments that each method of a plugin's store takes. One that is not among them is the mistake of the plugin's author,
 * and ignoring it would take away what it was to protect: a version check, a key, another table.
 */
import type { CreateRowInput } from '../../ops/create-row.js';
import type { DeleteRowInput } from '../../ops/delete-row.js';
import type { GetRowInput } from '../../ops/get-row.js';
import type { ListRowsInput } from '../../ops/list-rows.js';
import type { RestoreRowInput } from '../../ops/restore-row.js';
import type { CommandInput } from '../../ops/run-command.js';
import type { UpdateRowInput } from '../../ops/update-row.js';
import { nearest } from '../../schema/suggest.js';

/** The names of each method, complete by their types. */
const names = {
  get: namesOf<GetRowInput>({ table: true, id: true, fields: true }),
  list: namesOf<ListRowsInput>({ table: true, limit: true, offset: true, filter: true, fields: true, order_by: true }),
  create: namesOf<CreateRowInput>({ table: true, data: true, idempotency_key: true, expected_version: true }),
  update: namesOf<UpdateRowInput>({
    table: true,
    id: true,
    data: true,
    mode: true,
    idempotency_key: true,
    expected_version: true,
  }),
  delete: namesOf<DeleteRowInput>({ table: true, id: true, idempotency_key: true, expected_version: true }),
  restore: namesOf<RestoreRowInput>({
    table: true,
    id: true,
    version: true,
    at_unix_secs: true,
    idempotency_key: true,
    expected_version: true,
  }),
  atomically: namesOf<CommandInput>({ table: true, idempotency_key: true, arguments: true }),
} as const;

/** The arguments that belong to the whole command and not to a step of it. */
const ofCommand = ['table', 'idempotency_key'];

/** The input as it is. @throws TypeError for an argument that the method does not have. */
export function storeInput<T extends object>(method: keyof typeof names, input: T): T {
  return withKnown(`Store.${method}`, input, names[method]);
}

/** The same for a step of {@link PluginStore.atomically}. */
export function stepInput<T extends object>(method: 'get' | 'list' | 'create' | 'update' | 'delete', input: T): T {
  const known = names[method].filter((name) => !ofCommand.includes(name));
  const misplaced = ofCommand.find((name) => name in input);
  if (misplaced !== undefined)
    throw new TypeError(
      `a step of Store.atomically takes no '${misplaced}': give it to the command, which is about one table`,
    );
  return withKnown(`command.${method}`, input, known);
}

function withKnown<T extends object>(method: string, input: T, known: readonly string[]): T {
  const unknown = Object.keys(input).find((name) => !known.includes(name));
  if (unknown === undefined) return input;
  const meant = nearest(unknown, known);
  const guess = meant === undefined ? `; it takes ${known.join(', ')}` : `; did you mean '${meant}'?`;
  throw new TypeError(`${method} has no argument '${unknown}'${guess}`);
}

function namesOf<T>(all: Record<keyof T & string, true>): readonly string[] {
  return Object.keys(all);
}
