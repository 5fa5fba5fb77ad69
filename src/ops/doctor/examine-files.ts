/** What stands in a table's directory that should not. */
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { OperatedTable } from '../operated-table.js';
import type { Finding } from './finding.js';

/** Temporary files of writes that did not end: `schema.yaml.tmp`, `<file>.<pid>.tmp`, `<file>.tmp-…`. */
const leftover = /\.tmp$|\.tmp-[^/]*$/;

export function examineFiles(table: OperatedTable): Finding[] {
  const directory = dirname(table.database.path);
  const names = list(directory);
  const findings = names.filter((name) => leftover.test(name)).map((name) => left(table.name, name));
  const file = basename(table.database.path);
  if (names.includes(`${file}-journal`)) {
    const message = `${file}-journal stands beside the database: a write was interrupted, or is going on`;
    findings.push({ table: table.name, severity: 'info', message, next: 'it goes away at the next write' });
  }
  return findings;
}

function left(table: string, name: string): Finding {
  const message = `${name} was left by a write that did not end`;
  return { table, severity: 'warning', message, next: `remove ${name} when no process writes the table` };
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
