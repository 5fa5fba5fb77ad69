/**
 * Changing a table as a whole: rows, schema.yaml and registry in one atomic command (rulings 3.2, 3.3). What changes the
 * schema is rehearsed first, in a transaction that is rolled back, so that a change that fails leaves nothing behind, not
 * even a backup; a dry run is that rehearsal alone.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isStoreError, StoreError } from '../../errors.js';
import type { CommandTransaction } from '../../events/event-log.js';
import type { Caller } from '../../events/types.js';
import type { JsonValue } from '../../schema/json.js';
import type { WrittenSchemaFile } from '../../tables/schema-file.js';
import type { Table } from '../../tables/table.js';
import type { Store } from '../store.js';
import { runWrite } from '../write-row.js';
import { type Backup, backUp } from './backups.js';
import type { BatchOp } from './batch-ops.js';
import { queryRows } from './query-step.js';
import { deleteStep, insertStep, replaceStep, updateStep } from './row-steps.js';
import { createSchema, deleteSchema, updateSchema } from './schema-steps.js';
import type { TableTarget } from './table-target.js';
import { type OpOutcome, TableWork } from './table-work.js';
import { TrialNeeded, Trials } from './trials.js';

export interface TableChange {
  readonly store: Store;
  readonly target: TableTarget;
  readonly ops: readonly BatchOp[];
  readonly dryRun: boolean;
  readonly caller: Caller;
  /** The tool, and what a repeated idempotency key must come with again. */
  readonly tool: string;
  readonly input: { readonly idempotency_key?: string | undefined };
}

export interface Changed {
  readonly outcomes: readonly OpOutcome[];
  readonly backups: readonly Backup[];
  readonly replayed: boolean;
}

/** Which op failed, and why. */
export class OpFailure extends Error {
  constructor(
    readonly index: number,
    override readonly cause: StoreError,
  ) {
    super(cause.message, { cause });
  }
}

/** @throws {@link OpFailure}; StoreError IO_ERROR, BACKUP_ERROR, BUSY, IDEMPOTENCY_CONFLICT, TABLE_READ_ONLY. */
export async function changeTable(change: TableChange): Promise<Changed> {
  try {
    return await new Changer(change).run();
  } finally {
    await change.target.close();
  }
}

/** Carries a rehearsal's outcome out of the transaction that it makes the writer roll back. */
class Rehearsed extends Error {
  constructor(readonly outcomes: readonly OpOutcome[]) {
    super('rehearsed');
  }
}

type Attempt = Omit<Changed, 'backups'>;

class Changer {
  readonly #changesSchema: boolean;
  readonly #trials = new Trials();
  #written: WrittenSchemaFile | null = null;

  constructor(private readonly change: TableChange) {
    this.#changesSchema = change.ops.some(({ op }) => op.startsWith('schema_'));
  }

  async run(): Promise<Changed> {
    const { target, dryRun } = this.change;
    if (dryRun || this.#changesSchema) {
      const rehearsed = await this.#rehearse();
      if (dryRun || rehearsed.replayed) return { ...rehearsed, backups: [] };
    }
    if (!this.#changesSchema) return { ...(await this.#attempt(target.table, false)), backups: [] };
    this.#makeDirectory();
    const backups = await backUp(this.change);
    const attempt = await this.#attemptOr(() => backups.discard());
    this.#written?.done();
    await this.change.store.registry.reload();
    await backups.purge();
    return { ...attempt, backups: backups.made };
  }

  async #attemptOr(discard: () => Promise<void>): Promise<Attempt> {
    try {
      return await this.#attempt(this.change.target.table, false);
    } catch (error) {
      await discard();
      throw error;
    }
  }

  async #rehearse(): Promise<Attempt> {
    try {
      return await this.#attempt(this.change.target.rehearsal(), true);
    } catch (error) {
      if (error instanceof Rehearsed) return { outcomes: error.outcomes, replayed: false };
      throw error;
    }
  }

  /** Runs the batch, again after each trial that it turns out to need. */
  async #attempt(table: Table, isRehearsal: boolean): Promise<Attempt> {
    for (;;) {
      try {
        return await this.#write(table, isRehearsal);
      } catch (error) {
        if (!(error instanceof TrialNeeded)) throw error;
        const refusal = await this.#trials.run(error);
        if (refusal !== null) throw new OpFailure(error.index, refusal);
      }
    }
  }

  async #write(table: Table, isRehearsal: boolean): Promise<Attempt> {
    const { caller, tool, input, dryRun } = this.change;
    const decide = (tx: CommandTransaction) => {
      const work = new TableWork({ ...this.change, tx, table, withSchema: this.#changesSchema });
      const outcomes = this.change.ops.map((op, index) => inOp(index, () => this.#runOp(work, op, index)));
      if (isRehearsal) throw new Rehearsed(outcomes);
      this.#written = work.writeFile();
      return outcomes;
    };
    const memory = {
      remember: (outcomes: readonly OpOutcome[]) => outcomes.map(rememberedOutcome),
      recall: (kept: JsonValue) => kept as unknown as readonly OpOutcome[],
    };
    const write = { table, caller, op: tool, input: dryRun ? {} : input, readsSchema: this.#changesSchema, decide };
    const { result, replayed } = await runWrite<readonly OpOutcome[]>(write, memory);
    return { outcomes: result, replayed };
  }

  #runOp(work: TableWork, op: BatchOp, index: number): OpOutcome {
    if (op.op !== 'query' || !op.statement.mayTakeLong || this.#trials.has(op)) return runOp(work, op);
    const { sql, bindings } = op.statement;
    const changed = work.tx.changedRows();
    throw new TrialNeeded(op, index, { kind: 'run', path: work.path, statement: { sql, bindings }, changed });
  }

  #makeDirectory(): void {
    try {
      mkdirSync(dirname(this.change.target.schemaPath), { recursive: true });
    } catch (error) {
      throw new StoreError('IO_ERROR', { detail: 'the directory of the table cannot be made' }, { cause: error });
    }
  }
}

function runOp(work: TableWork, op: BatchOp): OpOutcome {
  switch (op.op) {
    case 'schema_create':
      return createSchema(work, op.definition);
    case 'schema_update':
      return updateSchema(work, op.definition);
    case 'schema_delete':
      return deleteSchema(work);
    case 'data_insert':
      return insertStep(work, op);
    case 'data_update':
      return updateStep(work, op);
    case 'data_delete':
      return deleteStep(work, op);
    case 'replace':
      return replaceStep(work, op);
    case 'query':
      return queryRows(work, op);
  }
}

function inOp<T>(index: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw isStoreError(error) ? new OpFailure(index, error) : error;
  }
}

/** The log keeps it for ever: many selected rows are left out. */
const longestRemembered = 16_384;

function rememberedOutcome({ result, replaced }: OpOutcome): JsonValue {
  const outcome = { result, affects: {}, ...(replaced === undefined ? {} : { replaced }) };
  const text = JSON.stringify(outcome);
  if (text.length <= longestRemembered || !('rows' in result)) return JSON.parse(text) as JsonValue;
  const { rows: _, ...rest } = result;
  return JSON.parse(JSON.stringify({ ...outcome, result: { ...rest, rows_not_kept: true } })) as JsonValue;
}
