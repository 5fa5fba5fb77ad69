import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Connection, openDatabase } from '../../src/events/database.js';
import { giveBackFreePages, giveBackFreePagesQuickly } from '../../src/events/free-pages.js';
import { tempDir } from '../helpers/temp-dir.js';

function filled(bytes: number): { path: string; connection: Connection } {
  const path = join(tempDir(), 'table.db');
  const { connection } = openDatabase(path);
  onTestFinished(() => void connection.close());
  connection.exec('CREATE TABLE big (data BLOB)');
  const insert = connection.prepare('INSERT INTO big VALUES (zeroblob(?))');
  for (let left = bytes; left > 0; left -= 1_000_000) insert.run(Math.min(left, 1_000_000));
  connection.pragma('wal_checkpoint(TRUNCATE)');
  return { path, connection };
}

function sizeAfter(path: string, connection: Connection, step: (connection: Connection) => void): number {
  step(connection);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  return statSync(path).size;
}

describe('free pages', () => {
  test('go back to the file system', () => {
    const { path, connection } = filled(4_000_000);
    connection.exec('DELETE FROM big');
    expect(statSync(path).size).toBeGreaterThan(4_000_000);
    expect(sizeAfter(path, connection, giveBackFreePages)).toBeLessThan(300_000);
  });

  test('go back at closing when there are many and the rest is small', () => {
    const { path, connection } = filled(4_000_000);
    connection.exec('DELETE FROM big WHERE rowid > 1');
    expect(sizeAfter(path, connection, giveBackFreePagesQuickly)).toBeLessThan(1_300_000);
  });

  test('stay at closing when they are few, or the rest is large', () => {
    const few = filled(4_000_000);
    few.connection.exec('DELETE FROM big WHERE rowid = 1');
    expect(sizeAfter(few.path, few.connection, giveBackFreePagesQuickly)).toBeGreaterThan(4_000_000);
    const large = filled(30_000_000);
    large.connection.exec('DELETE FROM big WHERE rowid > 18');
    expect(sizeAfter(large.path, large.connection, giveBackFreePagesQuickly)).toBeGreaterThan(30_000_000);
  });

  test('go back in a file that was made with auto_vacuum as well', () => {
    const { path, connection } = filled(4_000_000);
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.pragma('journal_mode = DELETE');
    connection.exec('VACUUM');
    connection.exec('DELETE FROM big');
    expect(sizeAfter(path, connection, giveBackFreePagesQuickly)).toBeLessThan(300_000);
  });
});
