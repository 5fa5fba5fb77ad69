/**
 * The SQLite JSON path of one top-level member, whatever characters its name holds. To be bound as a parameter, never
 * joined into a statement (rulings §2 "filters").
 */
export function memberPath(name: string): string {
  // SQLite compares a quoted label after decoding its JSON escapes on both sides.
  return `$.${JSON.stringify(name)}`;
}

/**
 * The same as a literal of SQL, for a field with an index: SQLite takes an index on an expression only for that very
 * expression, and a parameter is another one. Every character that could end the literal early is escaped.
 */
export function memberPathLiteral(name: string): string {
  return `'${memberPath(name).replaceAll("'", "''")}'`;
}
