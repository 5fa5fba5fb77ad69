/** `alias_delete`: an alias less, the project's before the user's. */
import { StoreError } from '../errors.js';
import { currentVersion } from '../events/catalogue.js';
import type { Caller } from '../events/types.js';
import { jsonText } from '../schema/json.js';
import type { Store } from './store.js';
import { findAlias } from './stored-alias.js';

export interface DeleteAliasInput {
  readonly name: string;
  /** Names are unique in their store, so nothing depends on it. */
  readonly table?: string | undefined;
}

/** @throws StoreError ALIAS_NOT_FOUND. */
export async function deleteAlias(
  store: Store,
  { name }: DeleteAliasInput,
  caller: Caller,
): Promise<{ deleted: string }> {
  const { in: target } = await findAlias(store, name);
  const type = 'alias.deleted';
  await target.log.append({
    caller,
    decide: (tx) => {
      if (target.aliases.get(name) === null) throw new StoreError('ALIAS_NOT_FOUND', { name });
      tx.append({ type, version: currentVersion(type), rowId: null, body: jsonText({ name }) });
    },
  });
  return { deleted: name };
}
