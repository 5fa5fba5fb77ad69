/**
 * `verify` of a scope directory's `_global.db`: that its log is whole, and that aliases, published views and approvals are
 * what the log says (rulings 3.1, 3.11).
 */

import { isKnown, upcast } from '../events/catalogue.js';
import type { Connection } from '../events/database.js';
import type { InlineProjection } from '../events/inline-projection.js';
import type { StoredEvent } from '../events/types.js';
import { AliasesProjection } from '../projections/aliases/project.js';
import { globalAliases } from '../projections/aliases/queries.js';
import { replay } from '../projections/replay.js';
import { ViewsProjection } from '../projections/views/project.js';
import type { WorkOptions } from './operated-table.js';
import { withSnapshot } from './replay/snapshot.js';
import { Checks } from './verify/checks.js';
import { LogAudit } from './verify/log-audit.js';
import { ReplayedCopy } from './verify/replayed-copy.js';
import type { Verification } from './verify-table.js';

export interface VerifyGlobalOptions extends WorkOptions {
  /** What it is called in the result. */
  readonly name: string;
}

/** Differences are in the result, not thrown. @throws StoreError STORAGE_ERROR; the signal's reason. */
export async function verifyGlobal(
  path: string,
  { name, signal, onProgress }: VerifyGlobalOptions,
): Promise<Verification> {
  return withSnapshot(path, async ({ connection, head, log }) => {
    const checks = new Checks(['chain', 'sequence', 'bodies', 'known events', 'anchor', 'aliases', 'views']);
    const audit = new LogAudit(connection, checks, null);
    const replayed = new Replayed(connection);
    await replay({
      log,
      from: 0,
      to: head.seq,
      apply: (batch) => {
        for (const event of batch) {
          audit.visit(event);
          replayed.apply(event);
        }
      },
      onProgress: ({ position }) => onProgress?.({ done: position, total: head.seq }),
      ...(signal === undefined ? {} : { signal }),
    });
    audit.finish();
    if (audit.unknown === null) replayed.compare(checks);
    const { seq, hash } = head;
    return {
      table: name,
      ok: checks.ok,
      events: audit.count,
      head: { seq, hash },
      anchored: null,
      checks: checks.list(),
    };
  });
}

/** The projections of the log once more, in temporary tables beside the live ones. */
class Replayed {
  readonly #aliases: ReplayedCopy;
  readonly #views: ReplayedCopy;
  readonly #projections: readonly InlineProjection[];

  constructor(connection: Connection) {
    this.#aliases = new ReplayedCopy(connection, { check: 'aliases', live: '_global_aliases', key: 'name' });
    this.#views = new ReplayedCopy(connection, { check: 'views', live: '_views', key: 'view' });
    this.#projections = [
      new AliasesProjection(connection, { ...globalAliases, table: this.#aliases.table }),
      new ViewsProjection(connection, this.#views.table),
    ];
  }

  apply(event: StoredEvent): void {
    if (!isKnown(event)) return;
    for (const projection of this.#projections) projection.applyTableEvent?.(upcast(event));
  }

  compare(checks: Checks): void {
    this.#aliases.compare(checks);
    this.#views.compare(checks);
  }
}
