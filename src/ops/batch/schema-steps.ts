/** The schema ops of a batch, which the single schema tools run as well. */
import { StoreError } from '../../errors.js';
import { editSchema } from '../../schema/edit-schema.js';
import { renderSchema } from '../../schema/render-schema.js';
import { buildSchema, fieldChanges, type SchemaDefinition } from '../schema/schema-definition.js';
import type { OpOutcome, TableWork } from './table-work.js';

/** @throws StoreError SCHEMA_EXISTS, VALIDATION_ERROR. A dry run says instead that the table exists. */
export function createSchema(work: TableWork, definition: SchemaDefinition): OpOutcome {
  const { name, schemaPath, scope } = work.target;
  const exists = work.text !== null;
  if (exists && !work.dryRun) throw new StoreError('SCHEMA_EXISTS', { table: name });
  const schema = buildSchema(name, definition, null);
  if (!exists) work.change(renderSchema(schema), schema);
  const { fields_added, fields_removed } = fieldChanges(null, schema);
  return {
    result: { op: 'schema_create', table: name, schema_path: schemaPath, scope },
    affects: {
      table: name,
      would_create: schemaPath,
      already_exists: exists,
      fields_count: schema.fields.length,
      rows: work.rows.count(),
      fields_added,
      fields_removed,
    },
  };
}

/** @throws StoreError TABLE_NOT_FOUND, VALIDATION_ERROR. */
export function updateSchema(work: TableWork, definition: SchemaDefinition): OpOutcome {
  const { name, schemaPath, scope } = work.target;
  const before = work.requireSchema();
  const schema = buildSchema(name, definition, before);
  const text = editSchema(work.text ?? '', schema);
  if (text !== work.text) work.change(text, schema);
  const changes = fieldChanges(before, schema);
  const rows = work.rows.count();
  return {
    result: { op: 'schema_update', table: name, schema_path: schemaPath, scope, ...changes },
    affects: { table: name, ...changes, rows, rows_unchanged: rows },
  };
}

/** The database file stays. @throws StoreError TABLE_NOT_FOUND. */
export function deleteSchema(work: TableWork): OpOutcome {
  const { name, schemaPath, databasePath, scope } = work.target;
  const before = work.requireSchema();
  work.change(null, null);
  const rows = work.rows.count();
  const { fields_added, fields_removed } = fieldChanges(before, null);
  return {
    result: {
      op: 'schema_delete',
      table: name,
      schema_path_removed: schemaPath,
      db_file_retained: databasePath,
      scope,
    },
    affects: {
      table: name,
      rows_orphaned: rows,
      would_remove_yaml: schemaPath,
      db_file_retained: databasePath,
      rows,
      fields_added,
      fields_removed,
    },
  };
}
