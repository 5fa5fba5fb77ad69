/** Which resources changed: found by looking, because a schema.yaml is also edited by hand and by other processes. */
import { statSync } from 'node:fs';
import { defer, filter, map, merge, type Observable, share } from 'rxjs';
import { unrefInterval } from '../../projections/unref-timer.js';
import type { TableSchema } from '../../schema/table-schema.js';
import type { Registry } from '../../tables/table.js';
import type { ResourceSources } from './read-resource.js';
import { schemaForms, schemaUri } from './resource-uri.js';
import { defaultTable } from './tables-by-uri.js';

export interface ResourceChange {
  /** Tables came or went. */
  readonly listChanged: boolean;
  /** URIs as they are listed; those without a table as well for the default table. */
  readonly updated: readonly string[];
}

const lookEveryMs = 500;

/** Changes from the first subscription on. Nothing is looked at while nobody listens. */
export function resourceChanges({ registry, catalogue }: ResourceSources): Observable<ResourceChange> {
  const tools = catalogue.listChanged$.pipe(map(() => ({ listChanged: false, updated: ['docs://tools'] })));
  return merge(tools, schemaChanges(registry)).pipe(share());
}

interface Seen {
  readonly schema: TableSchema;
  /** Of the file; null when it is not there. */
  readonly fingerprint: string | null;
}

function schemaChanges(registry: Registry): Observable<ResourceChange> {
  return defer(() => {
    let before = look(registry);
    return unrefInterval(lookEveryMs).pipe(
      map(() => {
        const after = look(registry);
        const change = difference(before, after, registry);
        before = after;
        return change;
      }),
      filter(({ listChanged, updated }) => listChanged || updated.length > 0),
    );
  });
}

function look(registry: Registry): ReadonlyMap<string, Seen> {
  return new Map(
    registry.tables().map(({ name, schema, schemaPath }) => [name, { schema, fingerprint: fingerprintOf(schemaPath) }]),
  );
}

function fingerprintOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function difference(
  before: ReadonlyMap<string, Seen>,
  after: ReadonlyMap<string, Seen>,
  registry: Registry,
): ResourceChange {
  const names = [...after].filter(([name, seen]) => isOther(before.get(name), seen)).map(([name]) => name);
  const preferred = names.length === 0 ? undefined : defaultTable(registry)?.name;
  return {
    listChanged: before.size !== after.size || [...after.keys()].some((name) => !before.has(name)),
    updated: names.flatMap((name) => [
      ...schemaForms.map((form) => schemaUri(form, name)),
      ...(name === preferred ? schemaForms.map((form) => `schema://${form}`) : []),
    ]),
  };
}

function isOther(before: Seen | undefined, after: Seen): boolean {
  return before !== undefined && (before.schema !== after.schema || before.fingerprint !== after.fingerprint);
}
