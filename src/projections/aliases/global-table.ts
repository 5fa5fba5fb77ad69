/** `_global_aliases`: the aliases of a scope directory, in its `_global.db` (storage.md §3.5). */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const globalAliases = sqliteTable('_global_aliases', {
  name: text('name').primaryKey(),
  sourcesJson: text('sources_json').notNull(),
  aggregatorJson: text('aggregator_json'),
  filter: text('filter').notNull(),
  defaultLimit: integer('default_limit'),
  description: text('description'),
  paramsSchema: text('params_schema'),
  fields: text('fields'),
  orderBy: text('order_by'),
});
