/** The indexes that a schema asks for on members of `data`: made and dropped as schema.yaml says, in the same transaction. */
import { createHash } from 'node:crypto';
import type { Connection } from '../../events/database.js';
import type { InlineProjection } from '../../events/inline-projection.js';
import type { RecordedEvent } from '../../events/types.js';
import { parseSchema } from '../../schema/parse-schema.js';
import { fieldValueSql } from './list-sql.js';

/** Follows `schema.changed`. A schema of another version of this program that cannot be read asks for no index. */
export class FieldIndexes implements InlineProjection {
  constructor(private readonly connection: Connection) {}

  apply(): void {
    // SQLite itself keeps an index up to date with its rows.
  }

  applyTableEvent(event: RecordedEvent): void {
    if (event.type !== 'schema.changed') return;
    const { after } = JSON.parse(event.body) as { after: string | null };
    syncFieldIndexes(this.connection, after === null ? [] : indexesOf(after));
  }
}

/** Whether the indexes are not those of the schema; one cheap read. */
export function lackFieldIndexes(connection: Connection, fields: readonly string[]): boolean {
  const wanted = fields.map(indexName).sort();
  return existing(connection).join() !== wanted.join();
}

/**
 * Makes and drops indexes so that exactly those of the fields are there, inside the open transaction. Where somebody stored
 * what is no JSON none can be made; lists work without.
 */
export function syncFieldIndexes(connection: Connection, fields: readonly string[]): void {
  const wanted = new Map(fields.map((field) => [indexName(field), field]));
  const there = existing(connection);
  for (const name of there) if (!wanted.has(name)) connection.exec(`DROP INDEX ${name}`);
  for (const [name, field] of wanted) if (!there.includes(name)) create(connection, name, field);
}

function create(connection: Connection, name: string, field: string): void {
  try {
    connection.exec(`CREATE INDEX ${name} ON rows (${fieldValueSql('data', field)})`);
  } catch (error) {
    if (!(error instanceof Error && error.message === 'malformed JSON')) throw error;
  }
}

function existing(connection: Connection): string[] {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB 'idx_rows_field_*' ORDER BY name`;
  return connection.prepare<[], string>(sql).pluck().all();
}

function indexName(field: string): string {
  return `idx_rows_field_${createHash('sha256').update(field).digest('hex').slice(0, 16)}`;
}

function indexesOf(text: string): readonly string[] {
  try {
    return parseSchema(text, 'schema.yaml').indexes ?? [];
  } catch {
    return [];
  }
}
