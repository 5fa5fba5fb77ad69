import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase, openReader } from '../../src/events/database.js';
import { tempDir } from '../helpers/temp-dir.js';

function filled(path: string): void {
  const { connection } = openDatabase(path);
  connection.exec(`INSERT INTO rows VALUES ('x', '{}', 1, 1, 1); PRAGMA wal_checkpoint(TRUNCATE)`);
  connection.close();
}

describe('a file that is no table', () => {
  test('is refused and left alone when it is no database', () => {
    const path = join(tempDir(), 'table.db');
    writeFileSync(path, 'dear diary, '.repeat(100));
    expect(() => openDatabase(path)).toThrow(expect.objectContaining({ code: 'STORAGE_ERROR' }));
    expect(readFileSync(path, 'utf8')).toBe('dear diary, '.repeat(100));
  });

  test('is refused when it was cut short', () => {
    const path = join(tempDir(), 'table.db');
    filled(path);
    truncateSync(path, 5000);
    expect(() => openDatabase(path)).toThrow(expect.objectContaining({ code: 'STORAGE_ERROR' }));
  });

  test('is refused when it is a directory, or stands where its directory should be', () => {
    const directory = tempDir();
    mkdirSync(join(directory, 'table.db'));
    expect(() => openDatabase(join(directory, 'table.db'))).toThrow(expect.objectContaining({ code: 'STORAGE_ERROR' }));
    writeFileSync(join(directory, 'file'), '');
    const below = join(directory, 'file', 'table.db');
    expect(() => openDatabase(below)).toThrow(expect.objectContaining({ code: 'STORAGE_ERROR' }));
    expect(() => openReader(join(directory, 'missing.db'))).toThrow(expect.objectContaining({ code: 'STORAGE_ERROR' }));
  });
});

describe('an opened database', () => {
  test('uses WAL, and waits for the disk at every commit', () => {
    const path = join(tempDir(), 'deep', 'table.db');
    const { connection, journalMode, readOnlyBecause } = openDatabase(path);
    onTestFinished(() => void connection.close());
    expect({ journalMode, readOnlyBecause }).toEqual({ journalMode: 'wal', readOnlyBecause: null });
    expect(connection.pragma('synchronous', { simple: true })).toBe(2);
    expect(connection.pragma('trusted_schema', { simple: true })).toBe(0);
  });

  test('refuses that anybody changes or removes an event', () => {
    const { connection } = openDatabase(join(tempDir(), 'table.db'));
    onTestFinished(() => void connection.close());
    connection.exec(`INSERT INTO _events (commit_no, type, event_version, body, actor, origin, at_ms, prev_hash, hash)
      VALUES (1, 't', 1, '{}', 'a', '{}', 1, x'00', x'00')`);
    for (const sql of ["UPDATE _events SET body = '[]'", 'DELETE FROM _events']) {
      expect(() => connection.exec(sql)).toThrow('append-only');
    }
  });
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/bin/mount');

describe.skipIf(!canMount)('a read-only file system (needs root to mount one)', () => {
  test.each(['closed', 'left open'])('can be read when the database was %s', (how) => {
    const directory = tempDir();
    const path = join(directory, 'table.db');
    filled(path);
    const other = how === 'closed' ? null : openDatabase(path).connection;
    other?.exec(`UPDATE rows SET updated_at = 2`);
    execFileSync('mount', ['--bind', directory, directory]);
    execFileSync('mount', ['-o', 'remount,ro,bind', directory]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', directory]);
      other?.close();
    });
    const { connection, readOnlyBecause } = openDatabase(path);
    expect(readOnlyBecause).toContain('may not be written');
    expect(connection.prepare('SELECT count(*) FROM rows').pluck().get()).toBe(1);
    expect(() => connection.exec('DELETE FROM rows')).toThrow('readonly');
    connection.close();
  });
});
