/** Which statements of a batch were tried already, and how one that has to be stops the batch. */
import { StoreError } from '../../errors.js';
import { isNested } from '../../projections/rows/raw-sql/cost.js';
import { checkGrammar } from '../../projections/rows/raw-sql/grammar.js';
import type { QueryJob } from '../../projections/rows/raw-sql/trial.js';
import { isJsonObject } from '../../schema/json.js';
import { tryQuery } from '../query-trial.js';
import type { BatchOp } from './batch-ops.js';

/** Undoes the batch, which runs again after the trial: nothing may be awaited inside of a transaction. */
export class TrialNeeded extends Error {
  constructor(
    readonly op: BatchOp,
    readonly index: number,
    readonly job: QueryJob,
  ) {
    super('trial needed');
  }
}

export class Trials {
  readonly #tried = new Set<BatchOp>();

  has(op: BatchOp): boolean {
    return this.#tried.has(op);
  }

  /**
   * @returns why the op fails; null when it may run.
   * @throws StoreError VALIDATION_ERROR, field `ops[i].sql`, for one that takes too much; BUSY.
   */
  async run({ op, index, job }: TrialNeeded): Promise<StoreError | null> {
    const refusal = await placed(index, () => tryQuery(job));
    this.#tried.add(op);
    return refusal;
  }
}

/**
 * Compiles nested statements where that can be stopped. What is wrong with them otherwise is left to who reads them.
 * @throws StoreError VALIDATION_ERROR, field `ops[i].sql`; BUSY.
 */
export async function tryCompiling(ops: readonly unknown[]): Promise<void> {
  for (const [index, op] of ops.entries()) {
    if (!isJsonObject(op) || op.op !== 'query' || typeof op.sql !== 'string' || !nests(op.sql)) continue;
    const { sql } = op;
    if (compiled.has(sql)) continue;
    await placed(index, () => tryQuery({ kind: 'compile', sql }));
    if (compiled.size >= mostKept) compiled.clear();
    compiled.add(sql);
  }
}

/** Clients repeat their statements. */
const compiled = new Set<string>();
const mostKept = 100;

function nests(sql: string): boolean {
  try {
    return isNested(checkGrammar(sql));
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

async function placed<T>(index: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'VALIDATION_ERROR') throw error;
    const { reason } = error.fields as { reason: string };
    throw new StoreError('VALIDATION_ERROR', { field: `ops[${index}].sql`, reason }, { hint: error.hint });
  }
}
