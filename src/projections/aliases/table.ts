/** `_aliases`: the predecessor's per-table aliases (storage.md §3.2). Always created. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const aliases = sqliteTable('_aliases', {
  name: text('name').primaryKey(),
  filter: text('filter').notNull(),
  defaultLimit: integer('default_limit'),
  description: text('description'),
  paramsSchema: text('params_schema'),
});
