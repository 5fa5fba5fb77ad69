/** `rows` (storage.md §3.1), with the per-row version as one extra defaulted column. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const rows = sqliteTable(
  'rows',
  {
    id: text('id').primaryKey(),
    data: text('data').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    version: integer('version').notNull().default(0),
  },
  (table) => [index('idx_rows_created').on(table.createdAt)],
);
