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
CREATE TABLE `_global_aliases` (
	`name` text PRIMARY KEY NOT NULL,
	`sources_json` text NOT NULL,
	`aggregator_json` text,
	`filter` text NOT NULL,
	`default_limit` integer,
	`description` text,
	`params_schema` text,
	`fields` text,
	`order_by` text
);
