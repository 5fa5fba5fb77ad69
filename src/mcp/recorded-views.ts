/** Publications are events, and a managed view is called only while its digest is the approved one (P-27, P-32 to P-35). */
import { StoreError } from '../errors.js';
import type { Caller } from '../events/types.js';
import { type ViewPublished, viewTag } from '../events/view-body.js';
import { recordPublication } from '../ops/view-records.js';
import type { GlobalDatabase } from '../tables/global-database.js';
import { contributorText } from './contributor.js';
import type { Logger } from './log.js';
import { describedTool, type Publication, type PublicationPolicy } from './publication.js';

export interface RecordedViewsOptions {
  readonly isManaged: (view: string) => boolean;
  /** The file at its path now, made if need be. @throws StoreError when it cannot be had. */
  readonly database: () => GlobalDatabase;
  /** The same; null while the file is gone. */
  readonly present: () => GlobalDatabase | null;
  readonly session: string;
  readonly log: Logger;
}

export class RecordedViews implements PublicationPolicy {
  /** What this process publishes, or is about to: from then on the digest before it is not enough. */
  readonly #claimed = new Map<string, string>();
  readonly #published = new Map<string, Publication>();
  #isGone = false;

  constructor(private readonly options: RecordedViewsOptions) {}

  record(publication: Publication): Promise<void> | undefined {
    const { view } = publication.revision;
    if (this.options.isManaged(view)) {
      this.#claimed.set(view, publication.digest);
      return this.#write(publication);
    }
    const written = this.#write(publication).catch((error: unknown) =>
      this.options.log.warn('a publication was not recorded', { view, error }),
    );
    // The product's own view must not wait for a file at start.
    return publication.trusted ? undefined : written;
  }

  published(publication: Publication): void {
    this.#published.set(publication.revision.view, publication);
  }

  abandoned({ revision: { view } }: Publication): void {
    const live = this.#published.get(view);
    this.#claimed.delete(view);
    if (live === undefined || !this.options.isManaged(view)) return;
    this.#claimed.set(view, live.digest);
    this.#writeAgain(live);
  }

  /** Another database has taken the place of the one that knew what is live, as a backup that is put back. */
  replaced(): void {
    this.options.log.warn(
      '_global.db is another file now: approvals are read from it, and publications recorded again',
    );
    for (const live of this.#published.values()) this.#writeAgain(live);
  }

  withdrawn(view: string): void {
    this.#claimed.delete(view);
    this.#published.delete(view);
  }

  admit({ name, digest }: { readonly name: string; readonly digest: string }): void {
    if (!this.options.isManaged(name)) return;
    const isCurrent = this.#claimed.get(name) === digest;
    if (isCurrent && this.#present()?.views.approvedDigest(name) === digest) return;
    const hint = `An operator looks at it with: mini-app-mcp approvals show ${name}`;
    throw new StoreError('APPROVAL_REQUIRED', { view: name, digest: this.#claimed.get(name) ?? digest }, { hint });
  }

  /** The fact of what is live stands again, so that approving never approves what nobody sees. */
  #writeAgain(live: Publication): void {
    const { view } = live.revision;
    this.#write(live, true).catch((error: unknown) =>
      this.options.log.warn('the publication that stays was not recorded again', { view, error }),
    );
  }

  /** An operator hears of it once: every call of a managed view is refused meanwhile. */
  #present(): GlobalDatabase | null {
    const database = this.options.present();
    if (database === null && !this.#isGone)
      this.options.log.error(
        'the _global.db with the approvals is gone: managed views cannot be called. Put it back, or start the server again and approve anew',
      );
    this.#isGone = database === null;
    return database;
  }

  async #write({ revision, tools, digest, contributor }: Publication, isAgain = false): Promise<void> {
    const { view } = revision;
    const plugin = contributor === undefined ? null : contributorText(contributor);
    const published: ViewPublished = {
      tag: viewTag,
      view,
      revision: revision.revision,
      digest,
      managed: this.options.isManaged(view),
      plugin,
      before: [...revision.before],
      after: tools.map(describedTool),
    };
    const isRemount = isAgain || revision.revision === 1;
    await recordPublication(this.options.database(), published, this.#caller(plugin), isRemount);
  }

  #caller(plugin: string | null): Caller {
    const origin = { tool: 'server', session: this.options.session };
    return { actor: 'mini-app-mcp', origin: plugin === null ? origin : { ...origin, plugin } };
  }
}
