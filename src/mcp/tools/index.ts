/** The built-in tools: the view `core/store`. */

import type { Binding } from '../binding.js';
import { Plugin } from '../plugins/plugin.js';
import type { PluginHost } from '../plugins/plugin-host.js';
import { Projection } from '../projection.js';
import { aliasCreate } from './alias-create.js';
import { aliasDelete } from './alias-delete.js';
import { aliasList } from './alias-list.js';
import { aliasRun } from './alias-run.js';
import { contentInsert } from './content-insert.js';
import { contentReplace } from './content-replace.js';
import { contentView } from './content-view.js';
import { create } from './create.js';
import { dataSnapshot } from './data-snapshot.js';
import { remove } from './delete.js';
import { get } from './get.js';
import { info } from './info.js';
import { list } from './list.js';
import { queryAggregate } from './query-aggregate.js';
import { reload } from './reload.js';
import { rowMaterialize } from './row-materialize.js';
import { rowRestore } from './row-restore.js';
import { schemaBatch } from './schema-batch.js';
import { schemaCreate } from './schema-create.js';
import { schemaDelete } from './schema-delete.js';
import { schemaUpdate } from './schema-update.js';
import { storeKey } from './store-key.js';
import { update } from './update.js';

export const coreView = 'core/store';

/** In the order in which they are listed. */
export const coreTools: readonly Binding[] = [
  info,
  create,
  get,
  list,
  update,
  remove,
  reload,
  schemaCreate,
  schemaUpdate,
  schemaDelete,
  schemaBatch,
  dataSnapshot,
  rowMaterialize,
  aliasCreate,
  aliasList,
  aliasRun,
  aliasDelete,
  queryAggregate,
  rowRestore,
  contentView,
  contentReplace,
  contentInsert,
];

/** The product's own plugin; its bindings are checked by tests, not at every start. */
const corePlugin = Plugin.make({
  name: 'mini-app-mcp',
  inject: [storeKey],
  apply: () => Projection.offer(coreView, coreTools),
});

/** Publishes the built-in tools. The catalogue's services must provide `storeKey`. */
export async function offerCoreTools(plugins: PluginHost): Promise<void> {
  await plugins.start(corePlugin, { text: 'bare', trusted: true });
}
