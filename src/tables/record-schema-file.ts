/** A schema.yaml that somebody edited by hand is recorded when the table is next opened (rulings 3.2). */
import type { EventLog } from '../events/event-log.js';
import { schemaChanged, schemaTextAfter } from './schema-changed.js';
import { readIfThere } from './schema-file.js';
import type { Scope } from './table.js';

export interface SchemaFile {
  readonly path: string;
  /** As it was read. */
  readonly text: string;
  readonly scope: Scope;
  readonly session: string;
}

/** Appends what differs from the newest `schema.changed`, unless the file or the log has moved on meanwhile. */
export async function recordSchemaFile(log: EventLog, { path, text, scope, session }: SchemaFile): Promise<void> {
  await log.append({
    caller: { actor: 'unknown', origin: { tool: 'schema-file', session } },
    decide: (tx) => {
      const before = schemaTextAfter(tx.lastTableEvent('schema.changed'));
      if (before === undefined || before === text || readIfThere(path) !== text) return;
      tx.append(schemaChanged({ before, after: text, scope }));
    },
  });
}
