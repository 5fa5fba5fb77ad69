/** Publications as events, and approvals: only where there is something to account for, plugins or managed views. */
import { randomUUID } from 'node:crypto';
import { StoreError } from '../errors.js';
import type { Catalogue } from '../mcp/catalogue.js';
import type { Logger } from '../mcp/log.js';
import { RecordedViews } from '../mcp/recorded-views.js';
import { managedBy } from '../mcp/view-names.js';
import type { Config } from '../tables/config.js';
import { LastingGlobalDatabase } from '../tables/lasting-global-database.js';

/** What has to be closed at the end. */
export interface ViewRecords {
  close(): Promise<void>;
}

/** @throws StoreError CONFIG_ERROR when views are managed and there is no user directory to keep approvals in. */
export function recordViews(config: Config, catalogue: Catalogue, log: Logger): ViewRecords | undefined {
  const { managedViews, plugins, viewsDir } = config;
  if (managedViews.length === 0 && plugins.length === 0) return undefined;
  if (viewsDir === null) {
    if (managedViews.length === 0) return undefined;
    const variable = 'MINI_APP_USER_DIR';
    throw new StoreError('CONFIG_ERROR', {
      detail: `managed views need ${variable}: approvals are kept there`,
      variable,
    });
  }
  const lasting = new LastingGlobalDatabase({
    directory: viewsDir,
    now: Date.now,
    onReplaced: () => views.replaced(),
    onError: (error) => log.warn('closing the _global.db before failed', { error }),
  });
  const views = new RecordedViews({
    isManaged: managedBy(managedViews),
    database: () => lasting.open(),
    present: () => lasting.present(),
    session: randomUUID(),
    log,
  });
  catalogue.governBy(views);
  return { close: () => lasting.close() };
}
