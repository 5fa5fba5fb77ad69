/** `schema_delete`: takes a table out of the registry. schema.yaml goes to the backups; the database file stays. */
import type { Caller } from '../events/types.js';
import { changeAlone, type DryRun, dryRunOf, knownTarget, type TableArguments } from './schema/schema-arguments.js';
import type { Store } from './store.js';

export interface SchemaDeleted {
  readonly deleted: string;
  readonly schema_path_removed: string;
  readonly db_file_retained: string;
  readonly scope: string;
}

/** @throws StoreError VALIDATION_ERROR, TABLE_NOT_FOUND, BACKUP_ERROR, CONFIG_ERROR, IO_ERROR, BUSY. */
export async function deleteSchema(
  store: Store,
  input: TableArguments,
  caller: Caller,
): Promise<SchemaDeleted | DryRun> {
  const target = knownTarget(store, input);
  const changed = await changeAlone({ store, caller, target, op: { op: 'schema_delete' }, dryRun: input.dry_run });
  if (input.dry_run === true) return dryRunOf(changed);
  const { name, schemaPath, databasePath, scope } = target;
  return { deleted: name, schema_path_removed: schemaPath, db_file_retained: databasePath, scope };
}
