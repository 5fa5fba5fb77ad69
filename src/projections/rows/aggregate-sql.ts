/**
 * Aggregates as SQL (storage.md §17). Names and values are bound parameters; the only names in the text are those under
 * which the databases are attached, which are of our making.
 */
import type { Aggregator, Measure } from '../../schema/aggregator.js';
import type { Filter } from '../../schema/filter.js';
import { memberPath } from '../../schema/json-path.js';
import { filterSql, type Sql } from './list-sql.js';

export interface AggregateQuery {
  readonly filter: Filter | null;
  readonly aggregator: Aggregator;
}

/** What a query is run with when the plain form of it fails on what is stored. */
export interface Leniency {
  /** Data that is no JSON counts as a row without fields. */
  readonly unreadable: boolean;
  /** Sums of integers beyond 64 bits are floats. */
  readonly overflow: boolean;
}

/** One row with `rows` and `value`, or one per group with `group_key` too, which is a BLOB for true and false. */
export function aggregateSql(query: AggregateQuery, schemas: readonly string[], leniency: Leniency): Sql {
  const { aggregator } = query;
  if (aggregator.kind === 'group_by') return groupSql({ ...query, aggregator }, schemas, leniency);
  const measured = measureSql(aggregator, leniency);
  const needsData = aggregator.kind !== 'count' || query.filter !== null;
  const where = whereSql([query.filter]);
  return {
    sql: `SELECT count(*) AS rows, ${measured.sql} AS value FROM (${unionSql(schemas, needsData, leniency)})${where.sql}`,
    params: [...measured.params, ...where.params],
  };
}

type Group = Extract<Aggregator, { kind: 'group_by' }>;

/**
 * `having` sees the key only, which all rows of a group share, so it is tested before grouping: the same groups, sooner.
 * A boolean and the number that SQLite takes it for are two keys. One expression tells them apart, because every further
 * key is sorted by as well; a type is asked for only where the value leaves it open.
 */
function groupSql(query: AggregateQuery & { aggregator: Group }, schemas: readonly string[], leniency: Leniency): Sql {
  const { by_field: field, having, inner } = query.aggregator;
  const measured = measureSql(inner ?? { kind: 'count' }, leniency);
  const where = whereSql([query.filter, having]);
  const path = memberPath(field);
  return {
    sql: `SELECT CASE WHEN typeof(json_extract(data, ?)) <> 'integer' THEN json_extract(data, ?)
        WHEN json_type(data, ?) <> 'integer' THEN CAST(json_extract(data, ?) AS BLOB)
        ELSE json_extract(data, ?) END AS group_key, count(*) AS rows, ${measured.sql} AS value
      FROM (${unionSql(schemas, true, leniency)})${where.sql}
      GROUP BY group_key ORDER BY group_key`,
    params: [path, path, path, path, path, ...measured.params, ...where.params],
  };
}

function measureSql(measure: Measure, { overflow }: Leniency): Sql {
  if (measure.kind === 'count') return { sql: 'count(*)', params: [] };
  const path = memberPath(measure.field);
  const extract = 'json_extract(data, ?)';
  if (measure.kind !== 'sum' || !overflow) return { sql: `${measure.kind}(${extract})`, params: [path] };
  return { sql: `CASE WHEN count(${extract}) > 0 THEN total(${extract}) END`, params: [path, path] };
}

function unionSql(schemas: readonly string[], needsData: boolean, { unreadable }: Leniency): string {
  const readable = "CASE WHEN json_valid(data) THEN data ELSE '{}' END AS data";
  const column = needsData ? (unreadable ? readable : 'data') : '1';
  return schemas.map((schema) => `SELECT ${column} FROM ${schema}.rows`).join(' UNION ALL ');
}

function whereSql(filters: readonly (Filter | null)[]): Sql {
  const parts = filters.filter((filter) => filter !== null).map((filter) => filterSql(filter));
  if (parts.length === 0) return { sql: '', params: [] };
  return { sql: ` WHERE ${parts.map(({ sql }) => sql).join(' AND ')}`, params: parts.flatMap(({ params }) => params) };
}
