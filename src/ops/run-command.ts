/** Several steps on one table as one command: all of its events or none, in one commit. What plugins write with. */
import { StoreError } from '../errors.js';
import type { CommandTransaction } from '../events/event-log.js';
import type { Caller } from '../events/types.js';
import type { JsonValue } from '../schema/json.js';
import { validRowText } from '../schema/validate-row.js';
import { addRow } from './create-row.js';
import { type DeleteRowInput, removeRow } from './delete-row.js';
import { type GetRowInput, getIn } from './get-row.js';
import { type ListRowsInput, listIn } from './list-rows.js';
import { type RowRecord, type Store, writtenRecord } from './store.js';
import { changeRow, type UpdateRowInput } from './update-row.js';
import { type CommandParts, runWrite, withPresentSchema } from './write-row.js';

export interface CommandInput {
  readonly table?: string | undefined;
  /** With the same key and arguments the first result is answered again, and nothing is done. */
  readonly idempotency_key?: string | undefined;
  /** What the command is about, so that its key is refused for another one. */
  readonly arguments?: JsonValue | undefined;
}

/** What a command can do, with rows in the form that the caller wants. Reads see what it has done so far. */
export interface CommandSteps<Row = RowRecord> {
  /** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR */
  get(input: Omit<GetRowInput, 'table'>): Row;
  /** At most 1,000 rows; 100 unless asked otherwise. @throws StoreError VALIDATION_ERROR */
  list(input?: Omit<ListRowsInput, 'table'>): Row[];
  /** @throws StoreError VALIDATION_ERROR */
  create(input: { readonly data: unknown }): Row;
  /** @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VALIDATION_ERROR, VERSION_CONFLICT */
  update(input: Omit<UpdateRowInput, 'table' | 'idempotency_key'>): Row;
  /** The full id. @throws StoreError NOT_FOUND, AMBIGUOUS_ID, VERSION_CONFLICT */
  delete(input: Omit<DeleteRowInput, 'table' | 'idempotency_key'>): string;
}

/**
 * Runs the steps under the write lock. They are synchronous and may run more than once before the commit, so they must
 * have no effect but through what they are given; what they throw undoes all of them.
 * @param caller whose command it is. @returns what the steps return: JSON where a key is given.
 * @throws StoreError TABLE_REQUIRED, TABLE_NOT_FOUND, IDEMPOTENCY_CONFLICT, BUSY; whatever the steps throw.
 */
export function runCommand<T>(
  store: Store,
  input: CommandInput,
  caller: Caller,
  steps: (command: CommandSteps) => T,
): Promise<T> {
  return withPresentSchema(async () => {
    const table = store.registry.resolve(input.table);
    const { rows } = table.open();
    const decide = (tx: CommandTransaction) => {
      const command = new Steps({ tx, rows, schema: table.schema }, store);
      try {
        return settled(steps(command));
      } finally {
        command.end();
      }
    };
    const write = { table, caller, op: 'command', input, decide };
    // The outcome was made from this very value when the key was first used.
    const recall = (kept: JsonValue) => kept as T;
    return (await runWrite<T>(write, { remember: (result) => (result ?? null) as JsonValue, recall })).result;
  });
}

class Steps implements CommandSteps {
  #hasEnded = false;

  constructor(
    private readonly given: CommandParts,
    private readonly store: Store,
  ) {}

  /** Whoever keeps it, or awaits in spite of everything, must not reach the tables past the transaction. */
  end(): void {
    this.#hasEnded = true;
  }

  private get parts(): CommandParts {
    if (this.#hasEnded) throw new Error('the command has ended: its steps are synchronous');
    return this.given;
  }

  get(input: Omit<GetRowInput, 'table'>): RowRecord {
    return getIn(this.parts, input);
  }

  list(input: Omit<ListRowsInput, 'table'> = {}): RowRecord[] {
    return listIn(this.parts, input);
  }

  create({ data }: { readonly data: unknown }): RowRecord {
    return writtenRecord(addRow(this.parts, this.store.newId(), validRowText(this.parts.schema, data)));
  }

  update(input: Omit<UpdateRowInput, 'table' | 'idempotency_key'>): RowRecord {
    return writtenRecord(changeRow(this.parts, input));
  }

  delete(input: Omit<DeleteRowInput, 'table' | 'idempotency_key'>): string {
    return removeRow(this.parts, input);
  }
}

/** Awaiting inside a transaction would let other work into it. */
function settled<T>(result: T): T {
  if (!(result instanceof Promise)) return result;
  result.catch(() => undefined);
  throw new StoreError('VALIDATION_ERROR', { field: 'steps', reason: 'must be a synchronous function' });
}
