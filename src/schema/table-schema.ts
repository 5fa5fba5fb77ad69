/** The shape of a table, as `schema.yaml` declares it (storage.md §5). Pure data; parsing is `parse-schema.ts`. */

export const fieldTypes = ['string', 'number', 'boolean', 'array', 'object'] as const;
export type FieldType = (typeof fieldTypes)[number];

export interface FieldSchema {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly description: string | null;
}

/** The `dump:` section: where markdown copies of rows go. Null members stand for the defaults of storage.md §12. */
export interface DumpSettings {
  readonly dir: string | null;
  readonly title_field: string | null;
  readonly body_field: string | null;
  readonly sync: 'write-only' | 'bidirectional' | null;
}

/** Keys stand in the order in which `info` and `schema://json` show them. */
export interface TableSchema {
  readonly table: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly fields: readonly FieldSchema[];
  readonly dump: DumpSettings | null;
  readonly history: 'full' | 'off';
  /** Declared fields with an index of their own, for tables that are filtered or sorted by them. Absent: none. */
  readonly indexes?: readonly string[];
}

export function fieldOf(schema: TableSchema, name: string): FieldSchema | undefined {
  return schema.fields.find((field) => field.name === name);
}
