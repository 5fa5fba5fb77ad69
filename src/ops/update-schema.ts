/** `schema_update`: another shape for a table. Rows stay as they are; each is held to the new shape when it next changes. */
import type { Caller } from '../events/types.js';
import {
  changeAlone,
  type DryRun,
  dryRunOf,
  knownTarget,
  parseDefinition,
  type SchemaArguments,
} from './schema/schema-arguments.js';
import type { FieldChanges } from './schema/schema-definition.js';
import type { Store } from './store.js';

export interface SchemaUpdated extends FieldChanges {
  readonly updated: string;
  readonly schema_path: string;
  readonly scope: string;
}

/** @throws StoreError VALIDATION_ERROR, TABLE_NOT_FOUND, BACKUP_ERROR, CONFIG_ERROR, IO_ERROR, BUSY. */
export async function updateSchema(
  store: Store,
  input: SchemaArguments,
  caller: Caller,
): Promise<SchemaUpdated | DryRun> {
  const definition = parseDefinition(input);
  const target = knownTarget(store, input);
  const op = { op: 'schema_update', definition } as const;
  const changed = await changeAlone({ store, caller, target, op, dryRun: input.dry_run });
  if (input.dry_run === true) return dryRunOf(changed);
  const changes = changed.outcomes[0]?.result as unknown as FieldChanges;
  const { fields_added, fields_removed, fields_type_changed } = changes;
  const { name, schemaPath, scope } = target;
  return { updated: name, schema_path: schemaPath, scope, fields_added, fields_removed, fields_type_changed };
}
