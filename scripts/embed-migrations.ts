/**
 * Writes `src/events/migrations.ts` from the migrations that drizzle-kit generated, so that the built program carries
 * them and opens a database without reading another file. `npm run migrations` runs drizzle-kit and then this.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Journal {
  entries: { tag: string }[];
}

function migrationsOf(name: string) {
  const folder = new URL(`../drizzle/${name}/`, import.meta.url);
  const journal = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8')) as Journal;
  return journal.entries.map(({ tag }) => ({
    tag,
    statements: readFileSync(new URL(`${tag}.sql`, folder), 'utf8')
      .split('--> statement-breakpoint')
      .map((statement) => statement.trim()),
  }));
}

const target = new URL('../src/events/migrations.ts', import.meta.url);
writeFileSync(
  target,
  `/** Generated from drizzle/table and drizzle/global by scripts/embed-migrations.ts; do not edit. */
export interface Migration {
  readonly tag: string;
  readonly statements: readonly string[];
}

/** Of a table's database. */
export const migrations: readonly Migration[] = ${JSON.stringify(migrationsOf('table'), null, 2)};

/** Of a scope directory's \`_global.db\`. */
export const globalMigrations: readonly Migration[] = ${JSON.stringify(migrationsOf('global'), null, 2)};
`,
);
