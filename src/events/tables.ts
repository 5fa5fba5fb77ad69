/** The log's own tables. Only `src/events`, and the operator's compaction, write them. */
import { isNotNull, isNull } from 'drizzle-orm';
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export const events = sqliteTable(
  '_events',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    commitNo: integer('commit_no').notNull(),
    rowId: text('row_id'),
    rowVersion: integer('row_version'),
    type: text('type').notNull(),
    eventVersion: integer('event_version').notNull(),
    body: text('body').notNull(),
    actor: text('actor').notNull(),
    origin: text('origin').notNull(),
    idempotencyKey: text('idempotency_key'),
    requestDigest: text('request_digest'),
    outcome: text('outcome'),
    atMs: integer('at_ms').notNull(),
    prevHash: blob('prev_hash', { mode: 'buffer' }).notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
  },
  (table) => [
    uniqueIndex('idx_events_row').on(table.rowId, table.rowVersion).where(isNotNull(table.rowId)),
    uniqueIndex('idx_events_idempotency').on(table.idempotencyKey).where(isNotNull(table.idempotencyKey)),
    index('idx_events_table').on(table.seq).where(isNull(table.rowId)),
  ],
);

/**
 * Rows that somebody else than the writer changed, noted by triggers on `rows` at the moment of the change. The writer
 * records such a row as an event before it touches it; `reconcile` records all of them, `rebuild` discards them.
 */
export const foreignWrites = sqliteTable('_foreign_writes', {
  rowId: text('row_id').primaryKey(),
  op: text('op', { enum: ['create', 'update', 'delete'] }).notNull(),
  /** The row before the first such change; null when it did not exist or was replaced unseen. */
  beforeData: text('before_data'),
  beforeCreatedAt: integer('before_created_at'),
  beforeUpdatedAt: integer('before_updated_at'),
  beforeVersion: integer('before_version'),
  noticedAt: integer('noticed_at').notNull(),
});
