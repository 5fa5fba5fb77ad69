/** The event of a changed schema.yaml: the whole text before and after. */
import { currentVersion } from '../events/catalogue.js';
import type { EventContent, NewEvent } from '../events/types.js';
import { jsonText } from '../schema/json.js';
import type { Scope } from './table.js';

export interface SchemaChange {
  readonly before: string | null;
  readonly after: string | null;
  readonly scope: Scope;
}

export function schemaChanged({ before, after, scope }: SchemaChange): NewEvent {
  const type = 'schema.changed';
  return { type, version: currentVersion(type), rowId: null, body: jsonText({ before, after, scope }) };
}

/** The text that the log has for the file after an event; undefined when no event says. */
export function schemaTextAfter(event: EventContent | null): string | null | undefined {
  return event === null ? undefined : (JSON.parse(event.body) as SchemaChange).after;
}
