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

const projected = [
  { check: 'aliases', live: '_global_aliases', replayed: '_replayed_aliases', key: 'name' },
  { check: 'views', live: '_views', replayed: '_replayed_views', key: 'view' },
] as const;

/** The projections of the log once more, in temporary tables beside the live ones. */
class Replayed {
  readonly #projections: readonly InlineProjection[];

  constructor(private readonly connection: Connection) {
    for (const { live, replayed } of projected) createLike(connection, live, replayed);
    this.#projections = [
      new AliasesProjection(connection, { ...globalAliases, table: '_replayed_aliases' }),
      new ViewsProjection(connection, '_replayed_views'),
    ];
  }

  apply(event: StoredEvent): void {
    if (!isKnown(event)) return;
    for (const projection of this.#projections) projection.applyTableEvent?.(upcast(event));
  }

  compare(checks: Checks): void {
    for (const { check, live, replayed, key } of projected) {
      const missing = this.#first(key, replayed, `main.${live}`);
      const extra = this.#first(key, `main.${live}`, replayed);
      if (missing !== null) checks.fail(check, `${missing} is missing or differs from the log`);
      if (extra !== null) checks.fail(check, `${extra} is not in the log as it is`);
    }
  }

  #first(key: string, here: string, there: string): string | null {
    const sql = `SELECT ${key} FROM (SELECT * FROM ${here} EXCEPT SELECT * FROM ${there}) ORDER BY 1 LIMIT 1`;
    return this.connection.prepare<[], string>(sql).pluck().get() ?? null;
  }
}

/** With the live table's own declaration: its keys decide what an upsert replaces. */
function createLike(connection: Connection, live: string, replayed: string): void {
  const declared = connection
    .prepare<[string], string>("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?")
    .pluck()
    .get(live);
  if (declared === undefined) throw new Error(`there is no table ${live}`);
  connection.exec(`CREATE TEMP TABLE ${replayed} ${declared.slice(declared.indexOf('('))}`);
}
