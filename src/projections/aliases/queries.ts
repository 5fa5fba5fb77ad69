/** What can be asked of the aliases of one database. Reads only; `project.ts` is the one writer. */
import type { AliasColumns } from '../../events/alias-body.js';
import type { Connection } from '../../events/database.js';

export interface AliasQueries {
  get(name: string): AliasColumns | null;
  /** By name, ascending. */
  list(): AliasColumns[];
}

/** How a table keeps the columns of an alias: the name of each column there; null for one that it does not keep. */
export interface AliasLayout {
  readonly table: string;
  readonly columns: Readonly<Record<keyof AliasColumns, string | null>>;
}

const common = {
  name: 'name',
  filter: 'filter',
  default_limit: 'default_limit',
  description: 'description',
  params_schema: 'params_schema',
};

/** storage.md §3.2 */
export const tableAliases: AliasLayout = {
  table: '_aliases',
  columns: { ...common, sources: null, aggregator: null, fields: null, order_by: null },
};

/** storage.md §3.5 */
export const globalAliases: AliasLayout = {
  table: '_global_aliases',
  columns: {
    ...common,
    sources: 'sources_json',
    aggregator: 'aggregator_json',
    fields: 'fields',
    order_by: 'order_by',
  },
};

export class SqliteAliasQueries implements AliasQueries {
  readonly #get;
  readonly #list;

  constructor(connection: Connection, { table, columns }: AliasLayout) {
    const selected = Object.entries(columns).map(([key, column]) => `${column ?? 'NULL'} AS ${key}`);
    const select = `SELECT ${selected.join(', ')} FROM ${table}`;
    this.#get = connection.prepare<[string], AliasColumns>(`${select} WHERE name = ?`);
    this.#list = connection.prepare<[], AliasColumns>(`${select} ORDER BY name`);
  }

  get(name: string): AliasColumns | null {
    return this.#get.get(name) ?? null;
  }

  list(): AliasColumns[] {
    return this.#list.all();
  }
}
