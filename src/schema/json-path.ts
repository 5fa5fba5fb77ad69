/**
 * The SQLite JSON path of one top-level member, whatever characters its name holds. To be bound as a parameter, never
 * joined into a statement (rulings §2 "filters").
 */
export function memberPath(name: string): string {
  // SQLite compares a quoted label after decoding its JSON escapes on both sides.
  return `$.${JSON.stringify(name)}`;
}
