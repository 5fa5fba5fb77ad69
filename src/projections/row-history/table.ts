/** `_row_history` and `_row_history_archive`, column for column as the predecessor has them (storage.md §3.3, §3.4). */
import { desc, sql } from 'drizzle-orm';
import { blob, check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export const rowHistory = sqliteTable(
  '_row_history',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    tableName: text('table_name').notNull(),
    rowId: text('row_id').notNull(),
    version: integer('version').notNull(),
    recordedAt: integer('recorded_at').notNull(),
    op: text('op', { enum: ['create', 'update', 'delete'] }).notNull(),
    dataJson: text('data_json'),
    prevDataJson: text('prev_data_json'),
  },
  (table) => [
    uniqueIndex('idx_row_history_version').on(table.tableName, table.rowId, table.version),
    index('idx_row_history_lookup').on(table.tableName, table.rowId, desc(table.recordedAt)),
    check('row_history_op', sql`op IN ('create', 'update', 'delete')`),
  ],
);

export const rowHistoryArchive = sqliteTable(
  '_row_history_archive',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    tableName: text('table_name').notNull(),
    rowId: text('row_id').notNull(),
    versionStart: integer('version_start').notNull(),
    versionEnd: integer('version_end').notNull(),
    recordedStart: integer('recorded_start').notNull(),
    recordedEnd: integer('recorded_end').notNull(),
    entryCount: integer('entry_count').notNull(),
    format: text('format').notNull().default('jsonl-zstd'),
    blob: blob('blob', { mode: 'buffer' }).notNull(),
  },
  (table) => [index('idx_row_history_archive_lookup').on(table.tableName, table.rowId, desc(table.recordedStart))],
);
