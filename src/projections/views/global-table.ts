/** `_views`: of every view the latest publication, and the approval that stands. In the user directory's `_global.db`. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const views = sqliteTable('_views', {
  view: text('view').primaryKey(),
  revision: integer('revision').notNull(),
  digest: text('digest').notNull(),
  managed: integer('managed').notNull(),
  plugin: text('plugin'),
  /** JSON: the tools with their schemas. */
  tools: text('tools').notNull(),
  /** Unix milliseconds. */
  publishedAt: integer('published_at').notNull(),
  approvedDigest: text('approved_digest'),
  approvedTools: text('approved_tools'),
  approvedBy: text('approved_by'),
  approvedAt: integer('approved_at'),
});
