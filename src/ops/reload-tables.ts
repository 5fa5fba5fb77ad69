/** `reload`: scans the directories again and swaps the registry at once. */
import type { Reloaded } from '../tables/table.js';
import type { Store } from './store.js';

/** A table whose definition is unchanged stays as it is; calls in flight keep the table they began with. */
export function reloadTables(store: Store): Promise<Reloaded> {
  return store.registry.reload();
}
