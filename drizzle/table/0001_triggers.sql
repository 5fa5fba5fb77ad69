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
--> statement-breakpoint
-- The writer always moves `version`; whoever changes a row without moving it is somebody else.
CREATE TRIGGER `_rows_note_insert` AFTER INSERT ON `rows` WHEN NEW.version = 0
BEGIN
	INSERT OR IGNORE INTO `_foreign_writes` (row_id, op, noticed_at) VALUES (NEW.id, 'create', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER `_rows_note_update` AFTER UPDATE ON `rows` WHEN NEW.version = OLD.version
BEGIN
	INSERT OR IGNORE INTO `_foreign_writes` (row_id, op, before_data, before_created_at, before_updated_at, before_version, noticed_at)
	VALUES (OLD.id, CASE WHEN NEW.id IS OLD.id THEN 'update' ELSE 'delete' END, OLD.data, OLD.created_at, OLD.updated_at, OLD.version, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
	INSERT OR IGNORE INTO `_foreign_writes` (row_id, op, noticed_at)
	SELECT NEW.id, 'create', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) WHERE NEW.id IS NOT OLD.id;
END;
--> statement-breakpoint
-- The writer's own delete first turns `version` negative.
CREATE TRIGGER `_rows_note_delete` AFTER DELETE ON `rows` WHEN OLD.version >= 0
BEGIN
	INSERT OR IGNORE INTO `_foreign_writes` (row_id, op, before_data, before_created_at, before_updated_at, before_version, noticed_at)
	VALUES (OLD.id, 'delete', OLD.data, OLD.created_at, OLD.updated_at, OLD.version, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
