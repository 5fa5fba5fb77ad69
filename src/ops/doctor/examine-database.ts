/** What a table's database says of itself. Reads only. */
import type { Connection } from '../../events/database.js';
import { isDeadOwner } from '../../projections/checkpoints/lease-owner.js';
import type { OperatedTable } from '../operated-table.js';
import type { Finding } from './finding.js';

export function examineDatabase(table: OperatedTable, connection: Connection, now: number): Finding[] {
  const examined = hasLog(connection) ? [...always, foreignWrites, followers, shadows] : [...always, withoutLog];
  return examined
    .flatMap((examine) => examine(table, connection, now))
    .map((finding) => ({ table: table.name, ...finding }));
}

type Found = Omit<Finding, 'table'>;

const always = [quickCheck, journal, freeSpace];

/** Whether this program ever opened the file for writing. */
export function hasLog(connection: Connection): boolean {
  const sql = `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_events')`;
  return connection.prepare<[], number>(sql).pluck().get() === 1;
}

function withoutLog({ name }: OperatedTable): Found[] {
  const message = 'the table has no log yet: it is from before this program';
  return [{ severity: 'info', message, next: `nothing: its first use adopts it, as mini-app-mcp verify ${name} does` }];
}

function quickCheck({ name }: OperatedTable, connection: Connection): Found[] {
  const problems = connection.prepare<[], string>('PRAGMA quick_check(3)').pluck().all();
  if (problems.join() === 'ok') return [];
  const next = `mini-app-mcp verify ${name}, then restore the table from a snapshot under _snapshots`;
  return problems.map((problem) => ({ severity: 'error', message: `the file is damaged: ${problem}`, next }));
}

function journal(_: OperatedTable, connection: Connection): Found[] {
  const mode = String(connection.pragma('journal_mode', { simple: true }));
  if (mode === 'wal') return [];
  const message = `the journal mode is ${mode}: the file system cannot do WAL, so readers and writers wait for each other`;
  return [{ severity: 'info', message, next: 'keep the table on a local file system for more speed' }];
}

function foreignWrites({ name }: OperatedTable, connection: Connection): Found[] {
  const count = connection.prepare<[], number>('SELECT count(*) FROM _foreign_writes').pluck().get() ?? 0;
  if (count === 0) return [];
  const message = count === 1 ? '1 row was changed past the log' : `${count} rows were changed past the log`;
  const next = `mini-app-mcp reconcile ${name} records the changes; mini-app-mcp rebuild ${name} discards them`;
  return [{ severity: 'warning', message, next }];
}

interface Checkpoint {
  name: string;
  position: number;
  owner: string | null;
  lease_until: number;
  failures: number;
  last_error: string | null;
  head: number;
}

/** From this many failures in a row on, a follower is tried on a slow timer only. */
const parkedAfter = 8;

function followers({ name: table }: OperatedTable, connection: Connection, now: number): Found[] {
  const sql = `SELECT name, position, owner, lease_until, failures, last_error,
    (SELECT coalesce(max(seq), 0) FROM _events) AS head FROM _checkpoints ORDER BY name`;
  return connection
    .prepare<[], Checkpoint>(sql)
    .all()
    .flatMap((row) => [...lease(row, now), ...(row.name === 'rebuild' ? rebuild(table, row) : follower(table, row))]);
}

function lease({ name, owner, lease_until }: Checkpoint, now: number): Found[] {
  if (owner === null || (lease_until >= now && !isDeadOwner(owner))) return [];
  const message = `the lease of ${name} is held by a process that is gone`;
  return [{ severity: 'info', message, next: 'nothing: the next process takes it over' }];
}

function rebuild(table: string, { position, head }: Checkpoint): Found[] {
  const message = `a rebuild stopped at event ${position} of ${head}, or is going on`;
  return [{ severity: 'warning', message, next: `mini-app-mcp rebuild ${table} goes on from there` }];
}

function follower(table: string, { name, position, failures, last_error, head }: Checkpoint): Found[] {
  const lag = Math.max(0, head - position);
  if (failures >= parkedAfter) {
    const message = `${name} is parked at event ${position}, ${lag} behind, after ${failures} failures: ${last_error}`;
    return [{ severity: 'error', message, next: `remove the cause; it is tried again once a minute` }];
  }
  if (failures > 0) {
    const message = `${name} failed ${failures} times at event ${position}: ${last_error}`;
    return [{ severity: 'warning', message, next: 'it is tried again; look once more in a minute' }];
  }
  if (lag === 0) return [];
  const next = `it catches up when a server mounts table ${table}`;
  return [{ severity: 'info', message: `${name} is ${lag} events behind`, next }];
}

function shadows({ name }: OperatedTable, connection: Connection): Found[] {
  const sql = `SELECT count(*) FROM sqlite_schema WHERE name LIKE '\\_shadow\\_%' ESCAPE '\\'
    AND NOT EXISTS (SELECT 1 FROM _checkpoints WHERE name = 'rebuild')`;
  const left = connection.prepare<[], number>(sql).pluck().get() ?? 0;
  if (left === 0) return [];
  const next = `mini-app-mcp rebuild ${name} removes them`;
  return [{ severity: 'warning', message: 'shadow tables of a rebuild were left behind', next }];
}

/** More free pages than this share of the file are worth a remark. */
const worthShrinking = 0.25;

function freeSpace({ name }: OperatedTable, connection: Connection): Found[] {
  const pragma = (text: string) => Number(connection.pragma(text, { simple: true }));
  const [free, pages] = [pragma('freelist_count'), pragma('page_count')];
  if (free < 256 || free < pages * worthShrinking) return [];
  const next = `mini-app-mcp compact ${name}`;
  return [{ severity: 'info', message: `${Math.round((100 * free) / pages)} % of the file is free space`, next }];
}
