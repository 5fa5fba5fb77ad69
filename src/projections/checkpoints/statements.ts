/** The statements on `_checkpoints`, prepared once per connection. Each is a single statement, so each is atomic. */
import type { Database } from 'better-sqlite3';
import { and, eq, gt, isNull, lt, ne, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { checkpoints as table } from './table.js';

export type CheckpointStatements = ReturnType<typeof prepareCheckpoints>;

export function prepareCheckpoints(database: Database) {
  const db = drizzle(database);
  return { ...prepareReads(db), ...prepareLease(db), ...prepareMoves(db) };
}

type Drizzle = ReturnType<typeof drizzle>;

const name = eq(table.name, sql.placeholder('name'));
const mine = and(name, eq(table.owner, sql.placeholder('owner')));
const text = (key: string) => sql<string>`${sql.placeholder(key)}`;
const number = (key: string) => sql<number>`${sql.placeholder(key)}`;

function prepareReads(db: Drizzle) {
  return {
    read: db.select().from(table).where(name).prepare(),
    register: db
      .insert(table)
      .values({ name: text('name'), version: number('version'), position: number('start'), updatedAt: number('now') })
      .onConflictDoUpdate({
        target: table.name,
        set: {
          version: sql`excluded.version`,
          position: sql`excluded.position`,
          owner: null,
          leaseUntil: 0,
          failures: 0,
          lastError: null,
          updatedAt: sql`excluded.updated_at`,
        },
        setWhere: ne(table.version, sql`excluded.version`),
      })
      .prepare(),
  };
}

function prepareLease(db: Drizzle) {
  // A lease that ends beyond `latest` was given before the clock was set back; waiting for its end would be for ever.
  const free = or(
    isNull(table.owner),
    eq(table.owner, sql.placeholder('owner')),
    eq(table.owner, sql.placeholder('dead')),
    lt(table.leaseUntil, sql.placeholder('now')),
    gt(table.leaseUntil, sql.placeholder('latest')),
  );
  const ofVersion = and(name, eq(table.version, sql.placeholder('version')));
  return {
    acquire: db
      .update(table)
      .set({ owner: text('owner'), leaseUntil: number('until') })
      .where(and(ofVersion, free))
      .returning({ position: table.position })
      .prepare(),
    renew: db
      .update(table)
      .set({ leaseUntil: number('until') })
      .where(mine)
      .prepare(),
    release: db.update(table).set({ owner: null, leaseUntil: 0 }).where(mine).prepare(),
  };
}

function prepareMoves(db: Drizzle) {
  return {
    advance: db
      .update(table)
      .set({ position: number('to'), failures: 0, lastError: null, updatedAt: number('now') })
      .where(and(mine, eq(table.position, sql.placeholder('from'))))
      .prepare(),
    fail: db
      .update(table)
      .set({ failures: sql`${table.failures} + 1`, lastError: text('message'), updatedAt: number('now') })
      .where(name)
      .returning({ failures: table.failures })
      .prepare(),
  };
}
