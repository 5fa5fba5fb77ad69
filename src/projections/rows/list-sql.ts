/**
 * Filters and lists as SQL. Every name and value is a bound parameter, so the text of a statement depends on the shape of a
 * query alone. Semantics: storage.md §8 and §9 with rulings §2 "filters" and "order"; JSON types never match across.
 */
import type { Filter } from '../../schema/filter.js';
import type { Scalar } from '../../schema/filter-value.js';
import { memberPath } from '../../schema/json-path.js';
import type { OrderBy } from '../../schema/order-by.js';
import type { ListQuery } from './queries.js';

export interface Sql {
  readonly sql: string;
  readonly params: (string | number)[];
}

/** `SELECT id, data, created_at, updated_at, version` of the rows of a page, in a total and stable order. */
export function listSql(query: ListQuery): Sql {
  const where = query.filter === undefined ? none : prefixed(' WHERE ', filterSql(query.filter));
  const order = orderSql(query.orderBy ?? []);
  return {
    sql: `SELECT id, data, created_at, updated_at, version FROM rows${where.sql} ORDER BY ${order.sql} LIMIT ? OFFSET ?`,
    params: [...where.params, ...order.params, query.limit, query.offset],
  };
}

/** A condition on the JSON object in a column. `dataColumn` goes into the text as it is. */
export function filterSql(filter: Filter, dataColumn = 'data'): Sql {
  switch (filter.type) {
    case 'or':
    case 'and':
      return balanced(
        filter.filters.map((child) => filterSql(child, dataColumn)),
        filter.type.toUpperCase(),
      );
    case 'eq':
      return equals(dataColumn, memberPath(filter.field), filter.value);
    case 'in':
      return oneOf(dataColumn, memberPath(filter.field), filter.values);
    case 'like':
      return typed(dataColumn, memberPath(filter.field), "= 'text'", 'LIKE ?', [filter.pattern]);
    case 'array_contains':
      return contains(dataColumn, memberPath(filter.field), filter.value);
    case 'array_not_contains':
      return prefixed('NOT ', contains(dataColumn, memberPath(filter.field), filter.value));
  }
}

const none: Sql = { sql: '', params: [] };
const numeric = "IN ('integer', 'real')";

/** Ties end in the default order, which the index on created_at (it ends in the rowid) serves without a sort. */
function orderSql(orderBy: OrderBy): Sql {
  const params: string[] = [];
  const terms = orderBy.map((key) => {
    const direction = key.direction === 'desc' ? 'DESC' : 'ASC';
    if (key.column === true) return `${key.field} ${direction}`;
    params.push(memberPath(key.field));
    return `json_extract(data, ?) ${direction}`;
  });
  return { sql: [...terms, 'created_at DESC', 'rowid DESC'].join(', '), params };
}

function equals(data: string, path: string, value: Scalar): Sql {
  if (typeof value === 'boolean') return { sql: `(json_type(${data}, ?) = '${value}')`, params: [path] };
  return typed(data, path, typeof value === 'string' ? "= 'text'" : numeric, '= ?', [value]);
}

/** One parameter for the whole list: thousands of values neither meet a limit of SQLite nor make a new statement. */
function oneOf(data: string, path: string, values: readonly Scalar[]): Sql {
  const first = values[0];
  if (typeof first === 'boolean') {
    return { sql: `(json_type(${data}, ?) IN (SELECT value FROM json_each(?)))`, params: [path, namesOf(values)] };
  }
  const list = 'IN (SELECT value FROM json_each(?))';
  return typed(data, path, typeof first === 'string' ? "= 'text'" : numeric, list, [JSON.stringify(values)]);
}

function namesOf(booleans: readonly Scalar[]): string {
  return JSON.stringify(booleans.map(String));
}

/** The type is tested first: json_extract alone would take true for 1 and an array for its own text. */
function typed(data: string, path: string, type: string, test: string, params: (string | number)[]): Sql {
  return {
    sql: `(json_type(${data}, ?) ${type} AND json_extract(${data}, ?) ${test})`,
    params: [path, path, ...params],
  };
}

/** Never NULL, so that NOT of it is right. json_each looks inside the document, so a stored string is never parsed. */
function contains(data: string, path: string, value: Scalar): Sql {
  const { test, params } = itemTest(value);
  return {
    sql: `(json_type(${data}, ?) IS 'array' AND EXISTS (SELECT 1 FROM json_each(${data}, ?) WHERE ${test}))`,
    params: [path, path, ...params],
  };
}

function itemTest(value: Scalar): { test: string; params: (string | number)[] } {
  if (typeof value === 'boolean') return { test: `json_each.type = '${value}'`, params: [] };
  const type = typeof value === 'string' ? "= 'text'" : numeric;
  return { test: `json_each.type ${type} AND json_each.value = ?`, params: [value] };
}

/** Joined as a balanced tree: a chain of a thousand terms would be deeper than SQLite allows. */
function balanced(parts: readonly Sql[], operator: string): Sql {
  const [first = none, ...others] = parts;
  if (others.length === 0) return { sql: `(${first.sql})`, params: first.params };
  const middle = Math.ceil(parts.length / 2);
  const left = balanced(parts.slice(0, middle), operator);
  const right = balanced(parts.slice(middle), operator);
  return { sql: `(${left.sql} ${operator} ${right.sql})`, params: [...left.params, ...right.params] };
}

function prefixed(prefix: string, { sql, params }: Sql): Sql {
  return { sql: prefix + sql, params };
}
