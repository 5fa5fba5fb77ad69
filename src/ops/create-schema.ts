/** `schema_create`: a new table. Its database is made if there is none; an existing one is used, with its rows. */
import type { Caller } from '../events/types.js';
import {
  changeAlone,
  type DryRun,
  dryRunOf,
  parseDefinition,
  type SchemaArguments,
  targetOf,
} from './schema/schema-arguments.js';
import type { Store } from './store.js';

export interface SchemaCreated {
  readonly created: string;
  readonly schema_path: string;
  readonly scope: string;
}

/** @throws StoreError VALIDATION_ERROR, SCHEMA_EXISTS, CONFIG_ERROR, IO_ERROR, STORAGE_ERROR, BUSY. */
export async function createSchema(
  store: Store,
  input: SchemaArguments,
  caller: Caller,
): Promise<SchemaCreated | DryRun> {
  const definition = parseDefinition(input);
  const target = targetOf(store, input);
  const op = { op: 'schema_create', definition } as const;
  const changed = await changeAlone({ store, caller, target, op, dryRun: input.dry_run });
  if (input.dry_run === true) return dryRunOf(changed);
  return { created: target.name, schema_path: target.schemaPath, scope: target.scope };
}
