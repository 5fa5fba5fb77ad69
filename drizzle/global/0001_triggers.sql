-- The log is append-only, also for a connection that is not ours.
CREATE TRIGGER `_events_refuse_update` BEFORE UPDATE ON `_events`
BEGIN
	SELECT RAISE(ABORT, 'the event log is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER `_events_refuse_delete` BEFORE DELETE ON `_events`
BEGIN
	SELECT RAISE(ABORT, 'the event log is append-only');
END;
