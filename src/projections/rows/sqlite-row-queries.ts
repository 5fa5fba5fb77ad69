/** {@link RowQueries} over an open database. */
import type { Database, Statement } from 'better-sqlite3';
import type { RowState } from '../../events/types.js';
import type { JsonText } from '../../schema/json.js';
import { prefixRanges, startsWithIgnoringCase } from './id-prefix.js';
import { listSql, matchSql } from './list-sql.js';
import type { ListQuery, Match, RowQueries } from './queries.js';

/** Statements kept for lists: one per shape of filter and order. */
const keptStatements = 32;

/** `rows` with an empty object where the data is no JSON. Slower, so it is used only when there is such a row. */
const readableRows = `WITH rows AS (SELECT rowid, id, CASE WHEN json_valid(data) THEN data ELSE '{}' END AS data,
  created_at, updated_at, version FROM main.rows)`;

/** The hot statements are prepared once; statements of lists are kept while they are in use. */
export class SqliteRowQueries implements RowQueries {
  readonly #database: Database;
  readonly #byId: Statement<[string], StoredRow>;
  readonly #idsFrom: Statement<[string, string], string>;
  readonly #idsAll: Statement<[], string>;
  readonly #count: Statement<[], number>;
  readonly #lists = new Map<string, Statement<(string | number)[], StoredRow>>();

  constructor(database: Database) {
    this.#database = database;
    this.#byId = database.prepare('SELECT id, data, created_at, updated_at, version FROM rows WHERE id = ?');
    this.#idsFrom = pluck(database.prepare('SELECT id FROM rows WHERE id >= ? AND id < ? ORDER BY id'));
    this.#idsAll = pluck(database.prepare('SELECT id FROM rows WHERE id IS NOT NULL ORDER BY id'));
    this.#count = pluck(database.prepare('SELECT count(*) FROM rows'));
  }

  get(id: string): RowState | null {
    const row = this.#byId.get(id);
    return row === undefined ? null : rowState(row);
  }

  idsWithPrefix(prefix: string): string[] {
    const ranges = prefixRanges(prefix);
    const ids = ranges === null ? this.#idsAll.all() : ranges.flatMap(([from, to]) => this.#idsFrom.all(from, to));
    return ids.filter((id) => startsWithIgnoringCase(id, prefix));
  }

  list(query: ListQuery): RowState[] {
    const { sql, params } = listSql(query);
    try {
      return this.#run(sql, params);
    } catch (cause) {
      if (!(cause instanceof Error && cause.message === 'malformed JSON')) throw cause;
      // Somebody stored what is no JSON: such a row counts as one without fields, and is answered as it is stored.
      return this.#run(`${readableRows} ${sql}`, params).map((row) => this.get(row.id) ?? row);
    }
  }

  idsMatching(match: Match): string[] {
    const { sql, params } = matchSql(match);
    const text = `SELECT id FROM rows WHERE ${sql} ORDER BY rowid`;
    try {
      return this.#idsOf(text, params);
    } catch (cause) {
      if (!(cause instanceof Error && cause.message === 'malformed JSON')) throw cause;
      return this.#idsOf(`${readableRows} ${text}`, params);
    }
  }

  #idsOf(sql: string, params: readonly (string | number)[]): string[] {
    return pluck(this.#database.prepare<(string | number)[], string>(sql)).all(...params);
  }

  #run(sql: string, params: readonly (string | number)[]): RowState[] {
    return this.#statement(sql)
      .all(...params)
      .map(rowState);
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  // A Map keeps the order of insertion, so its first key is the one unused for longest.
  #statement(sql: string): Statement<(string | number)[], StoredRow> {
    const kept = this.#lists.get(sql);
    const statement = kept ?? this.#database.prepare<(string | number)[], StoredRow>(sql);
    this.#lists.delete(sql);
    this.#lists.set(sql, statement);
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= keptStatements) break;
      this.#lists.delete(oldest);
    }
    return statement;
  }
}

interface StoredRow {
  id: string;
  data: string;
  created_at: number;
  updated_at: number;
  version: number;
}

function rowState(row: StoredRow): RowState {
  return {
    id: row.id,
    data: row.data as JsonText,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

function pluck<P extends unknown[], T>(statement: Statement<P, T>): Statement<P, T> {
  return statement.pluck();
}
