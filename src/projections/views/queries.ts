/** What can be asked of `_views`. Reads only; `project.ts` is the one writer. Always from the database: others decide. */
import type { Connection } from '../../events/database.js';
import type { ViewTool } from '../../events/view-body.js';

/** The latest publication of a view. Times are Unix milliseconds. */
export interface PublishedView {
  readonly view: string;
  readonly revision: number;
  readonly digest: string;
  readonly managed: boolean;
  readonly plugin: string | null;
  readonly tools: readonly ViewTool[];
  readonly publishedAt: number;
  readonly approval: Approval | null;
}

export interface Approval {
  readonly digest: string;
  readonly tools: readonly ViewTool[];
  readonly by: string;
  readonly at: number;
}

interface Row {
  view: string;
  revision: number;
  digest: string;
  managed: number;
  plugin: string | null;
  tools: string;
  published_at: number;
  approved_digest: string | null;
  approved_tools: string | null;
  approved_by: string | null;
  approved_at: number | null;
}

export class ViewQueries {
  readonly #one;
  readonly #all;
  readonly #approved;

  constructor(connection: Connection) {
    this.#one = connection.prepare<[string], Row>('SELECT * FROM _views WHERE view = ?');
    this.#all = connection.prepare<[], Row>('SELECT * FROM _views ORDER BY view');
    this.#approved = connection
      .prepare<[string], string | null>('SELECT approved_digest FROM _views WHERE view = ?')
      .pluck();
  }

  get(view: string): PublishedView | null {
    const row = this.#one.get(view);
    return row === undefined ? null : published(row);
  }

  /** By name. */
  list(): PublishedView[] {
    return this.#all.all().map(published);
  }

  /** The digest that may be called; null when none may. */
  approvedDigest(view: string): string | null {
    return this.#approved.get(view) ?? null;
  }
}

function published(row: Row): PublishedView {
  return {
    view: row.view,
    revision: row.revision,
    digest: row.digest,
    managed: row.managed === 1,
    plugin: row.plugin,
    tools: toolsOf(row.tools),
    publishedAt: row.published_at,
    approval: approvalOf(row),
  };
}

function approvalOf(row: Row): Approval | null {
  if (row.approved_digest === null) return null;
  return {
    digest: row.approved_digest,
    tools: toolsOf(row.approved_tools ?? '[]'),
    by: row.approved_by ?? 'unknown',
    at: row.approved_at ?? 0,
  };
}

/** The projection wrote it from an event whose body was checked. */
function toolsOf(text: string): ViewTool[] {
  return JSON.parse(text) as ViewTool[];
}
