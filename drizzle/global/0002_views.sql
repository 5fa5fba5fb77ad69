CREATE TABLE `_views` (
	`view` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`digest` text NOT NULL,
	`managed` integer NOT NULL,
	`plugin` text,
	`tools` text NOT NULL,
	`published_at` integer NOT NULL,
	`approved_digest` text,
	`approved_tools` text,
	`approved_by` text,
	`approved_at` integer
);
