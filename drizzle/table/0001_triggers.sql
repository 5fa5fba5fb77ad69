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
-- The writer always moves `version`; whoever changes a row without moving it is somebody else. The first note of a row stays;
-- it is looked for, because the conflict clause of an outer statement would override one in a trigger.
CREATE TRIGGER `_rows_note_insert` AFTER INSERT ON `rows` WHEN NEW.version = 0
BEGIN
	INSERT INTO `_foreign_writes` (row_id, op, noticed_at)
	SELECT NEW.id, 'create', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
	WHERE NEW.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_foreign_writes` WHERE row_id = NEW.id);
END;
--> statement-breakpoint
CREATE TRIGGER `_rows_note_update` AFTER UPDATE ON `rows` WHEN NEW.version = OLD.version
BEGIN
	INSERT INTO `_foreign_writes` (row_id, op, before_data, before_created_at, before_updated_at, before_version, noticed_at)
	SELECT OLD.id, CASE WHEN NEW.id IS OLD.id THEN 'update' ELSE 'delete' END, OLD.data, OLD.created_at, OLD.updated_at, OLD.version, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
	WHERE OLD.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_foreign_writes` WHERE row_id = OLD.id);
	INSERT INTO `_foreign_writes` (row_id, op, noticed_at)
	SELECT NEW.id, 'create', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
	WHERE NEW.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_foreign_writes` WHERE row_id = NEW.id);
END;
--> statement-breakpoint
-- The writer's own delete first turns `version` negative.
CREATE TRIGGER `_rows_note_delete` AFTER DELETE ON `rows` WHEN OLD.version >= 0
BEGIN
	INSERT INTO `_foreign_writes` (row_id, op, before_data, before_created_at, before_updated_at, before_version, noticed_at)
	SELECT OLD.id, 'delete', OLD.data, OLD.created_at, OLD.updated_at, OLD.version, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
	WHERE OLD.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `_foreign_writes` WHERE row_id = OLD.id);
END;
