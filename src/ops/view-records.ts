/** What was published and what was approved: the durable side of views, in the user directory's `_global.db`. */
import { StoreError } from '../errors.js';
import { currentVersion } from '../events/catalogue.js';
import type { CommandTransaction } from '../events/event-log.js';
import type { Caller } from '../events/types.js';
import type { ViewDecision, ViewPublished } from '../events/view-body.js';
import type { PublishedView } from '../projections/views/queries.js';
import { type JsonText, type JsonValue, jsonText } from '../schema/json.js';
import type { GlobalDatabase } from '../tables/global-database.js';

/**
 * Records a revision.
 * @param isRemount a view that comes, or stays, as it is: when that is the latest fact already, nothing is appended (P-35).
 * @throws StoreError BUSY, STORAGE_ERROR, TABLE_READ_ONLY.
 */
export async function recordPublication(
  database: GlobalDatabase,
  publication: ViewPublished,
  caller: Caller,
  isRemount: boolean,
): Promise<void> {
  await database.log.append({
    caller,
    decide: (tx) => {
      const latest = database.views.get(publication.view);
      const isKnown =
        latest?.digest === publication.digest &&
        latest.managed === publication.managed &&
        latest.plugin === publication.plugin;
      if (isKnown && isRemount) return;
      append(tx, 'view.published', publication);
    },
  });
}

/** What a decision came to. */
export interface Decided {
  readonly view: string;
  readonly digest: string;
  /** False: it was so already. */
  readonly changed: boolean;
}

/**
 * Approves the latest publication of a view (P-36).
 * @param digest that was looked at, or the start of it: anything published since then is not approved unseen.
 * @throws StoreError VALIDATION_ERROR for a view that was never published, or when the digest is another one.
 */
export async function approveView(
  database: GlobalDatabase,
  input: { readonly view: string; readonly digest?: string | undefined },
  caller: Caller,
): Promise<Decided> {
  const decide = (tx: CommandTransaction): Decided => {
    const { view, digest, approval } = latest(database, input.view);
    if (input.digest !== undefined && !isStartOf(input.digest, digest)) throw movedOn(view, digest);
    if (approval?.digest === digest) return { view, digest, changed: false };
    append(tx, 'view.approved', { view, digest });
    return { view, digest, changed: true };
  };
  return (await database.log.append({ caller, decide })).result;
}

/** Takes the approval of a view back. @throws StoreError VALIDATION_ERROR for a view that was never published. */
export async function revokeView(
  database: GlobalDatabase,
  input: { readonly view: string },
  caller: Caller,
): Promise<Decided> {
  const decide = (tx: CommandTransaction): Decided => {
    const { view, digest, approval } = latest(database, input.view);
    if (approval === null) return { view, digest, changed: false };
    append(tx, 'view.revoked', { view, digest: approval.digest });
    return { view, digest: approval.digest, changed: true };
  };
  return (await database.log.append({ caller, decide })).result;
}

function latest(database: GlobalDatabase, view: string): PublishedView {
  const found = database.views.get(view);
  if (found !== null) return found;
  const known = database.views.list().map((other) => other.view);
  const hint = known.length === 0 ? 'No view was published yet.' : `The views are: ${known.join(', ')}.`;
  throw new StoreError('VALIDATION_ERROR', { field: 'view', reason: `no view '${view}' was published` }, { hint });
}

function isStartOf(start: string, digest: string): boolean {
  return start.length >= 8 && digest.startsWith(start.toLowerCase());
}

function movedOn(view: string, digest: string): StoreError<'VALIDATION_ERROR'> {
  const reason = `is not that of what is published now: ${digest}`;
  return new StoreError(
    'VALIDATION_ERROR',
    { field: '--digest', reason },
    { hint: `Look again: mini-app-mcp approvals show ${view}` },
  );
}

function append(tx: CommandTransaction, type: string, body: ViewPublished | ViewDecision): void {
  // Schemas are plain JSON; their members have no type of their own.
  const text: JsonText = jsonText(body as unknown as JsonValue);
  tx.append({ type, version: currentVersion(type), rowId: null, body: text });
}
