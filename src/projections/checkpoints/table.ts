/** `_checkpoints`: how far each follower and each rebuild has come, and which process holds its lease. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const checkpoints = sqliteTable('_checkpoints', {
  name: text('name').primaryKey(),
  /** The version of the projection's code; another one starts over. */
  version: integer('version').notNull(),
  /** The sequence number of the last event that is fully applied. */
  position: integer('position').notNull(),
  owner: text('owner'),
  /** Unix milliseconds. */
  leaseUntil: integer('lease_until').notNull().default(0),
  failures: integer('failures').notNull().default(0),
  lastError: text('last_error'),
  updatedAt: integer('updated_at').notNull(),
});
