CREATE TABLE `_events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`commit_no` integer NOT NULL,
	`row_id` text,
	`row_version` integer,
	`type` text NOT NULL,
	`event_version` integer NOT NULL,
	`body` text NOT NULL,
	`actor` text NOT NULL,
	`origin` text NOT NULL,
	`idempotency_key` text,
	`request_digest` text,
	`outcome` text,
	`at_ms` integer NOT NULL,
	`prev_hash` blob NOT NULL,
	`hash` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `idx_events_row` ON `_events` (`row_id`,`row_version`) WHERE "_events"."row_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `idx_events_idempotency` ON `_events` (`idempotency_key`) WHERE "_events"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX `idx_events_table` ON `_events` (`seq`) WHERE "_events"."row_id" is null;--> statement-breakpoint
CREATE TABLE `_foreign_writes` (
	`row_id` text PRIMARY KEY NOT NULL,
	`op` text NOT NULL,
	`before_data` text,
	`before_created_at` integer,
	`before_updated_at` integer,
	`before_version` integer,
	`noticed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `_aliases` (
	`name` text PRIMARY KEY NOT NULL,
	`filter` text NOT NULL,
	`default_limit` integer,
	`description` text,
	`params_schema` text
);
--> statement-breakpoint
CREATE TABLE `_checkpoints` (
	`name` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`position` integer NOT NULL,
	`owner` text,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `_row_history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`table_name` text NOT NULL,
	`row_id` text NOT NULL,
	`version` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`op` text NOT NULL,
	`data_json` text,
	`prev_data_json` text,
	CONSTRAINT "row_history_op" CHECK(op IN ('create', 'update', 'delete'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `idx_row_history_version` ON `_row_history` (`table_name`,`row_id`,`version`);--> statement-breakpoint
CREATE INDEX `idx_row_history_lookup` ON `_row_history` (`table_name`,`row_id`,"recorded_at" desc);--> statement-breakpoint
CREATE TABLE `_row_history_archive` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`table_name` text NOT NULL,
	`row_id` text NOT NULL,
	`version_start` integer NOT NULL,
	`version_end` integer NOT NULL,
	`recorded_start` integer NOT NULL,
	`recorded_end` integer NOT NULL,
	`entry_count` integer NOT NULL,
	`format` text DEFAULT 'jsonl-zstd' NOT NULL,
	`blob` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idx_row_history_archive_lookup` ON `_row_history_archive` (`table_name`,`row_id`,"recorded_start" desc);--> statement-breakpoint
CREATE TABLE `rows` (
	`id` text PRIMARY KEY NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`version` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idx_rows_created` ON `rows` (`created_at`);