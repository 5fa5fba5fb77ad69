/** What takes the space of a table's files. */
import { statSync } from 'node:fs';
import type { Connection } from '../../events/database.js';

/** Bytes by kind; `other` is what belongs to none of them. */
export interface BytesByKind {
  readonly rows: number;
  readonly log: number;
  readonly history_raw: number;
  readonly history_archive: number;
  readonly other: number;
  readonly free: number;
  readonly wal: number;
}

const kinds: readonly (readonly [RegExp, 'rows' | 'log' | 'history_raw' | 'history_archive'])[] = [
  [/^rows$/, 'rows'],
  [/^_events$/, 'log'],
  [/^_row_history$/, 'history_raw'],
  [/^_row_history_archive$/, 'history_archive'],
];

/** By pages where SQLite can count them, else by the content's length. */
export function bytesByKind(connection: Connection, path: string): BytesByKind {
  const bytes = { rows: 0, log: 0, history_raw: 0, history_archive: 0, other: 0 };
  for (const { name, size } of sizes(connection)) {
    const kind = kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
    bytes[kind] += size;
  }
  const pragma = (name: string) => Number(connection.pragma(name, { simple: true }));
  return { ...bytes, free: pragma('freelist_count') * pragma('page_size'), wal: fileBytes(`${path}-wal`) };
}

/** The database file and what stands beside it. */
export function tableFileBytes(path: string): number {
  return ['', '-wal', '-shm', '-journal'].reduce((sum, suffix) => sum + fileBytes(path + suffix), 0);
}

function sizes(connection: Connection): { name: string; size: number }[] {
  try {
    return connection
      .prepare<[], { name: string; size: number }>(
        `SELECT coalesce(s.tbl_name, d.name) AS name, sum(d.pgsize) AS size FROM dbstat d
         LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`,
      )
      .all();
  } catch {
    return estimates(connection);
  }
}

/** Without `dbstat`: what is stored, without the pages' own overhead. */
function estimates(connection: Connection): { name: string; size: number }[] {
  const content: readonly (readonly [string, string])[] = [
    ['rows', 'octet_length(data) + 64'],
    ['_events', 'octet_length(body) + octet_length(origin) + coalesce(octet_length(outcome), 0) + 256'],
    ['_row_history', 'coalesce(octet_length(data_json), 0) + coalesce(octet_length(prev_data_json), 0) + 128'],
    ['_row_history_archive', 'octet_length(blob) + 128'],
  ];
  return content.map(([name, sum]) => {
    const size = connection.prepare<[], number | null>(`SELECT sum(${sum}) FROM ${name}`).pluck().get();
    return { name, size: size ?? 0 };
  });
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
