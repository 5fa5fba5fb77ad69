/** Generated from drizzle/table and drizzle/global by scripts/embed-migrations.ts; do not edit. */
export interface Migration {
  readonly tag: string;
  readonly statements: readonly string[];
}

/** Of a table's database. */
export const migrations: readonly Migration[] = [
  {
    tag: '0000_tables',
    statements: [
      'CREATE TABLE `_events` (\n\t`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n\t`commit_no` integer NOT NULL,\n\t`row_id` text,\n\t`row_version` integer,\n\t`type` text NOT NULL,\n\t`event_version` integer NOT NULL,\n\t`body` text NOT NULL,\n\t`actor` text NOT NULL,\n\t`origin` text NOT NULL,\n\t`idempotency_key` text,\n\t`request_digest` text,\n\t`outcome` text,\n\t`at_ms` integer NOT NULL,\n\t`prev_hash` blob NOT NULL,\n\t`hash` blob NOT NULL\n);',
      'CREATE UNIQUE INDEX `idx_events_row` ON `_events` (`row_id`,`row_version`) WHERE "_events"."row_id" is not null;',
      'CREATE UNIQUE INDEX `idx_events_idempotency` ON `_events` (`idempotency_key`) WHERE "_events"."idempotency_key" is not null;',
      'CREATE INDEX `idx_events_table` ON `_events` (`seq`) WHERE "_events"."row_id" is null;',
      'CREATE TABLE `_foreign_writes` (\n\t`row_id` text PRIMARY KEY NOT NULL,\n\t`op` text NOT NULL,\n\t`before_data` text,\n\t`before_created_at` integer,\n\t`before_updated_at` integer,\n\t`before_version` integer,\n\t`noticed_at` integer NOT NULL\n);',
      'CREATE TABLE `_aliases` (\n\t`name` text PRIMARY KEY NOT NULL,\n\t`filter` text NOT NULL,\n\t`default_limit` integer,\n\t`description` text,\n\t`params_schema` text\n);',
      'CREATE TABLE `_checkpoints` (\n\t`name` text PRIMARY KEY NOT NULL,\n\t`version` integer NOT NULL,\n\t`position` integer NOT NULL,\n\t`owner` text,\n\t`lease_until` integer DEFAULT 0 NOT NULL,\n\t`failures` integer DEFAULT 0 NOT NULL,\n\t`last_error` text,\n\t`updated_at` integer NOT NULL\n);',
      "CREATE TABLE `_row_history` (\n\t`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n\t`table_name` text NOT NULL,\n\t`row_id` text NOT NULL,\n\t`version` integer NOT NULL,\n\t`recorded_at` integer NOT NULL,\n\t`op` text NOT NULL,\n\t`data_json` text,\n\t`prev_data_json` text,\n\tCONSTRAINT \"row_history_op\" CHECK(op IN ('create', 'update', 'delete'))\n);",
      'CREATE UNIQUE INDEX `idx_row_history_version` ON `_row_history` (`table_name`,`row_id`,`version`);',
      'CREATE INDEX `idx_row_history_lookup` ON `_row_history` (`table_name`,`row_id`,"recorded_at" desc);',
      "CREATE TABLE `_row_history_archive` (\n\t`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n\t`table_name` text NOT NULL,\n\t`row_id` text NOT NULL,\n\t`version_start` integer NOT NULL,\n\t`version_end` integer NOT NULL,\n\t`recorded_start` integer NOT NULL,\n\t`recorded_end` integer NOT NULL,\n\t`entry_count` integer NOT NULL,\n\t`format` text DEFAULT 'jsonl-zstd' NOT NULL,\n\t`blob` blob NOT NULL\n);",
      'CREATE INDEX `idx_row_history_archive_lookup` ON `_row_history_archive` (`table_name`,`row_id`,"recorded_start" desc);',
      'CREATE TABLE `rows` (\n\t`id` text PRIMARY KEY NOT NULL,\n\t`data` text NOT NULL,\n\t`created_at` integer NOT NULL,\n\t`updated_at` integer NOT NULL,\n\t`version` integer DEFAULT 0 NOT NULL\n);',
      'CREATE INDEX `idx_rows_created` ON `rows` (`created_at`);',
    ],
  },
  {
    tag: '0001_triggers',
    statements: [
      "-- The log is append-only, also for a connection that is not ours.\nCREATE TRIGGER `_events_refuse_update` BEFORE UPDATE ON `_events`\nBEGIN\n\tSELECT RAISE(ABORT, 'the event log is append-only');\nEND;",
      "CREATE TRIGGER `_events_refuse_delete` BEFORE DELETE ON `_events`\nBEGIN\n\tSELECT RAISE(ABORT, 'the event log is append-only');\nEND;",
      "-- The writer always moves `version`; whoever changes a row without moving it is somebody else. The first note of a row stays;\n-- it is looked for, because the conflict clause of an outer statement would override one in a trigger.\nCREATE TRIGGER `_rows_note_insert` AFTER INSERT ON `rows` WHEN NEW.version = 0\nBEGIN\n\tINSERT INTO `_foreign_writes` (row_id, op, noticed_at)\n\tSELECT NEW.id, 'create', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)\n\tWHERE NEW.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_foreign_writes` WHERE row_id = NEW.id);\nEND;",
      "CREATE TRIGGER `_rows_note_update` AFTER UPDATE ON `rows` WHEN NEW.version = OLD.version\nBEGIN\n\tINSERT INTO `_foreign_writes` (row_id, op, before_data, before_created_at, before_updated_at, before_version, noticed_at)\n\tSELECT OLD.id, CASE WHEN NEW.id IS OLD.id THEN 'update' ELSE 'delete' END, OLD.data, OLD.created_at, OLD.updated_at, OLD.version, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)\n\tWHERE OLD.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_foreign_writes` WHERE row_id = OLD.id);\n\tINSERT INTO `_foreign_writes` (row_id, op, noticed_at)\n\tSELECT NEW.id, 'create', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)\n\tWHERE NEW.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_foreign_writes` WHERE row_id = NEW.id);\nEND;",
      "-- The writer's own delete first turns `version` negative.\nCREATE TRIGGER `_rows_note_delete` AFTER DELETE ON `rows` WHEN OLD.version >= 0\nBEGIN\n\tINSERT INTO `_foreign_writes` (row_id, op, before_data, before_created_at, before_updated_at, before_version, noticed_at)\n\tSELECT OLD.id, 'delete', OLD.data, OLD.created_at, OLD.updated_at, OLD.version, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)\n\tWHERE OLD.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_foreign_writes` WHERE row_id = OLD.id);\nEND;",
    ],
  },
];

/** Of a scope directory's `_global.db`. */
export const globalMigrations: readonly Migration[] = [
  {
    tag: '0000_tables',
    statements: [
      'CREATE TABLE `_events` (\n\t`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n\t`commit_no` integer NOT NULL,\n\t`row_id` text,\n\t`row_version` integer,\n\t`type` text NOT NULL,\n\t`event_version` integer NOT NULL,\n\t`body` text NOT NULL,\n\t`actor` text NOT NULL,\n\t`origin` text NOT NULL,\n\t`idempotency_key` text,\n\t`request_digest` text,\n\t`outcome` text,\n\t`at_ms` integer NOT NULL,\n\t`prev_hash` blob NOT NULL,\n\t`hash` blob NOT NULL\n);',
      'CREATE UNIQUE INDEX `idx_events_row` ON `_events` (`row_id`,`row_version`) WHERE "_events"."row_id" is not null;',
      'CREATE UNIQUE INDEX `idx_events_idempotency` ON `_events` (`idempotency_key`) WHERE "_events"."idempotency_key" is not null;',
      'CREATE INDEX `idx_events_table` ON `_events` (`seq`) WHERE "_events"."row_id" is null;',
      'CREATE TABLE `_foreign_writes` (\n\t`row_id` text PRIMARY KEY NOT NULL,\n\t`op` text NOT NULL,\n\t`before_data` text,\n\t`before_created_at` integer,\n\t`before_updated_at` integer,\n\t`before_version` integer,\n\t`noticed_at` integer NOT NULL\n);',
      'CREATE TABLE `_global_aliases` (\n\t`name` text PRIMARY KEY NOT NULL,\n\t`sources_json` text NOT NULL,\n\t`aggregator_json` text,\n\t`filter` text NOT NULL,\n\t`default_limit` integer,\n\t`description` text,\n\t`params_schema` text,\n\t`fields` text,\n\t`order_by` text\n);',
    ],
  },
  {
    tag: '0001_triggers',
    statements: [
      "-- The log is append-only, also for a connection that is not ours.\nCREATE TRIGGER `_events_refuse_update` BEFORE UPDATE ON `_events`\nBEGIN\n\tSELECT RAISE(ABORT, 'the event log is append-only');\nEND;",
      "CREATE TRIGGER `_events_refuse_delete` BEFORE DELETE ON `_events`\nBEGIN\n\tSELECT RAISE(ABORT, 'the event log is append-only');\nEND;",
    ],
  },
  {
    tag: '0002_views',
    statements: [
      'CREATE TABLE `_views` (\n\t`view` text PRIMARY KEY NOT NULL,\n\t`revision` integer NOT NULL,\n\t`digest` text NOT NULL,\n\t`managed` integer NOT NULL,\n\t`plugin` text,\n\t`tools` text NOT NULL,\n\t`published_at` integer NOT NULL,\n\t`approved_digest` text,\n\t`approved_tools` text,\n\t`approved_by` text,\n\t`approved_at` integer\n);',
    ],
  },
];
