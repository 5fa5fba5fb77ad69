/** What an operator has to hear of MINI_APP_MANAGED_VIEWS: a pattern that governs nothing looks like protection. */
import type { Catalogue } from '../mcp/catalogue.js';
import { coreView as builtIn } from '../mcp/tools/index.js';
import { managedBy } from '../mcp/view-names.js';
import { nearest } from '../schema/suggest.js';

/** Logs patterns that match no published view, and built-in tools that nobody can call yet. */
export function warnOfManaged(globs: readonly string[], catalogue: CatalogueParts): void {
  const { snapshot, log } = catalogue;
  const names = [...snapshot.views.keys()];
  for (const glob of globs) {
    if (names.some(managedBy([glob]))) continue;
    const meant = nearest(glob, names);
    const guess = meant === undefined ? '' : `; did you mean '${meant}'?`;
    log.warn(`MINI_APP_MANAGED_VIEWS: '${glob}' matches no view that is published${guess}`, { views: names });
  }
  const view = snapshot.views.get(builtIn);
  if (view === undefined || !managedBy(globs)(builtIn) || isAdmitted(() => catalogue.admit(view))) return;
  log.warn(`MINI_APP_MANAGED_VIEWS holds the built-in tools back: look at mini-app-mcp approvals show ${builtIn}`);
}

type CatalogueParts = Pick<Catalogue, 'snapshot' | 'log' | 'admit'>;

function isAdmitted(admit: () => void): boolean {
  try {
    admit();
    return true;
  } catch {
    return false;
  }
}
