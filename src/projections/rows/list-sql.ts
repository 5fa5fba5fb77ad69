/**
 * Filters and lists as SQL. Every value is a bound parameter, and so is every name but those of fields with an index, so the
 * text of a statement depends on the shape of a query alone. Semantics: storage.md §8 and §9 with rulings §2 "filters" and "order"; JSON types never match across.
 */
import type { Filter } from '../../schema/filter.js';
import type { Scalar } from '../../schema/filter-value.js';
import { memberPath, memberPathLiteral } from '../../schema/json-path.js';
import type { OrderBy } from '../../schema/order-by.js';
import type { ListQuery, Match } from './queries.js';

export interface Sql {
  readonly sql: string;
  readonly params: (string | number)[];
}

/** `SELECT id, data, created_at, updated_at, version` of the rows of a page, in a total and stable order. */
export function listSql(query: ListQuery): Sql {
  const { indexed = [] } = query;
  const where = query.filter === undefined ? none : prefixed(' WHERE ', filterSql(query.filter, 'data', indexed));
  const order = orderSql(query.orderBy ?? [], indexed);
  return {
    sql: `SELECT id, data, created_at, updated_at, version FROM rows${where.sql} ORDER BY ${order.sql} LIMIT ? OFFSET ?`,
    params: [...where.params, ...order.params, query.limit, query.offset],
  };
}

/**
 * A condition on the JSON object in a column. `dataColumn` goes into the text as it is; `indexed` names the fields that may
 * have an index.
 */
export function filterSql(filter: Filter, dataColumn = 'data', indexed: readonly string[] = []): Sql {
  switch (filter.type) {
    case 'or':
    case 'and':
      return balanced(
        filter.filters.map((child) => filterSql(child, dataColumn, indexed)),
        filter.type.toUpperCase(),
      );
    case 'eq':
      return equals(dataColumn, fieldPath(filter.field, indexed), filter.value);
    case 'in':
      return oneOf(dataColumn, fieldPath(filter.field, indexed), filter.values);
    case 'like':
      return typed(dataColumn, fieldPath(filter.field, []), "= 'text'", 'LIKE ?', [filter.pattern]);
    case 'array_contains':
      return contains(dataColumn, memberPath(filter.field), filter.value);
    case 'array_not_contains':
      return prefixed('NOT ', contains(dataColumn, memberPath(filter.field), filter.value));
  }
}

/** A condition for a `replace`: every member has its scalar, typed like a filter; null: absent or null. */
export function matchSql(match: Match): Sql {
  const terms = [...match].map(([name, value]): Sql => {
    if (value !== null) return equals('data', fieldPath(name, []), value);
    return { sql: `(coalesce(json_type(data, ?), 'null') = 'null')`, params: [memberPath(name)] };
  });
  return balanced(terms, 'AND');
}

/** How a field's value is got: the same expression as that of its index, when it may have one. */
export function fieldValueSql(data: string, name: string): string {
  return `json_extract(${data}, ${memberPathLiteral(name)})`;
}

interface FieldPath {
  readonly path: string;
  /** The value for fields with an index; null where the path is to be bound. */
  readonly value: ((data: string) => string) | null;
}

function fieldPath(name: string, indexed: readonly string[]): FieldPath {
  const value = indexed.includes(name) ? (data: string) => fieldValueSql(data, name) : null;
  return { path: memberPath(name), value };
}

const none: Sql = { sql: '', params: [] };
const numeric = "IN ('integer', 'real')";

/** Ties end in the default order, which the index on created_at (it ends in the rowid) serves without a sort. */
function orderSql(orderBy: OrderBy, indexed: readonly string[]): Sql {
  const params: string[] = [];
  const terms = orderBy.map((key) => {
    const direction = key.direction === 'desc' ? 'DESC' : 'ASC';
    if (key.column === true) return `${key.field} ${direction}`;
    if (indexed.includes(key.field)) return `${fieldValueSql('data', key.field)} ${direction}`;
    params.push(memberPath(key.field));
    return `json_extract(data, ?) ${direction}`;
  });
  return { sql: [...terms, 'created_at DESC', 'rowid DESC'].join(', '), params };
}

function equals(data: string, field: FieldPath, value: Scalar): Sql {
  if (typeof value !== 'boolean') {
    return typed(data, field, typeof value === 'string' ? "= 'text'" : numeric, '= ?', [value]);
  }
  const test = `json_type(${data}, ?) = '${value}'`;
  const also = field.value === null ? '' : ` AND ${field.value(data)} = ${Number(value)}`;
  return { sql: `(${test}${also})`, params: [field.path] };
}

/** One parameter for the whole list: thousands of values neither meet a limit of SQLite nor make a new statement. */
function oneOf(data: string, field: FieldPath, values: readonly Scalar[]): Sql {
  const first = values[0];
  if (typeof first === 'boolean') {
    return {
      sql: `(json_type(${data}, ?) IN (SELECT value FROM json_each(?)))`,
      params: [field.path, namesOf(values)],
    };
  }
  const list = 'IN (SELECT value FROM json_each(?))';
  return typed(data, field, typeof first === 'string' ? "= 'text'" : numeric, list, [JSON.stringify(values)]);
}

function namesOf(booleans: readonly Scalar[]): string {
  return JSON.stringify(booleans.map(String));
}

/** The type is tested too: json_extract alone would take true for 1 and an array for its own text. */
function typed(data: string, field: FieldPath, type: string, test: string, params: (string | number)[]): Sql {
  const { path, value } = field;
  if (value !== null) {
    return { sql: `(json_type(${data}, ?) ${type} AND ${value(data)} ${test})`, params: [path, ...params] };
  }
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
