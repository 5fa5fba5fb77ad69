/** Events to `_views`: the one writer of that table. */
import type { Connection } from '../../events/database.js';
import type { InlineProjection } from '../../events/inline-projection.js';
import type { RecordedEvent } from '../../events/types.js';
import type { ViewDecision, ViewPublished } from '../../events/view-body.js';

export class ViewsProjection implements InlineProjection {
  readonly #publish;
  readonly #approve;
  readonly #revoke;

  /** @param target the table to write, a name of our own making. */
  constructor(connection: Connection, target = '_views') {
    this.#publish = connection.prepare(
      `INSERT INTO ${target} (view, revision, digest, managed, plugin, tools, published_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (view) DO UPDATE SET revision = excluded.revision, digest = excluded.digest, managed = excluded.managed,
         plugin = excluded.plugin, tools = excluded.tools, published_at = excluded.published_at`,
    );
    this.#approve = connection.prepare(
      `UPDATE ${target} SET approved_digest = digest, approved_tools = tools, approved_by = ?, approved_at = ?
       WHERE view = ? AND digest = ?`,
    );
    this.#revoke = connection.prepare<[string]>(
      `UPDATE ${target} SET approved_digest = NULL, approved_tools = NULL, approved_by = NULL, approved_at = NULL WHERE view = ?`,
    );
  }

  apply(): void {
    // Views do not depend on rows.
  }

  applyTableEvent(event: RecordedEvent): void {
    switch (event.type) {
      case 'view.published':
        this.#published(event, JSON.parse(event.body) as ViewPublished);
        return;
      case 'view.approved': {
        const { view, digest } = JSON.parse(event.body) as ViewDecision;
        this.#approve.run(event.actor, event.at, view, digest);
        return;
      }
      case 'view.revoked':
        this.#revoke.run((JSON.parse(event.body) as ViewDecision).view);
    }
  }

  #published({ at }: RecordedEvent, { view, revision, digest, managed, plugin, after }: ViewPublished): void {
    this.#publish.run(view, revision, digest, managed ? 1 : 0, plugin, JSON.stringify(after), at);
  }
}
