/** A table as a replay makes it, in a temporary table beside the live one, and what differs between the two. */
import type { Connection } from '../../events/database.js';
import type { Checks } from './checks.js';

export interface Replayed {
  /** The check that a difference fails. */
  readonly check: string;
  readonly live: string;
  /** The column that names a row of it. */
  readonly key: string;
}

export class ReplayedCopy {
  /** Where the replay writes. */
  readonly table: string;

  /** With the live table's own declaration: its keys decide what an upsert replaces. */
  constructor(
    private readonly connection: Connection,
    private readonly replayed: Replayed,
  ) {
    this.table = `_replayed${replayed.live}`;
    const declared = connection
      .prepare<[string], string>("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?")
      .pluck()
      .get(replayed.live);
    if (declared === undefined) throw new Error(`there is no table ${replayed.live}`);
    connection.exec(`CREATE TEMP TABLE ${this.table} ${declared.slice(declared.indexOf('('))}`);
  }

  compare(checks: Checks): void {
    const { check, live } = this.replayed;
    const missing = this.#first(this.table, `main.${live}`);
    const extra = this.#first(`main.${live}`, this.table);
    if (missing !== null) checks.fail(check, `${missing} is missing or differs from the log`);
    if (extra !== null) checks.fail(check, `${extra} is not in the log as it is`);
  }

  #first(here: string, there: string): string | null {
    const { key } = this.replayed;
    const sql = `SELECT ${key} FROM (SELECT * FROM ${here} EXCEPT SELECT * FROM ${there}) ORDER BY 1 LIMIT 1`;
    return this.connection.prepare<[], string>(sql).pluck().get() ?? null;
  }
}
