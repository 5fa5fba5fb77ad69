import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doctor } from '../../src/ops/doctor.js';
import { ScratchTable } from './scratch-table.js';

let table: ScratchTable;

beforeEach(async () => {
  table = new ScratchTable();
  await table.create({ title: 'x' });
});

afterEach(() => table.remove());

const examine = () => doctor({ tables: [table.operated], failed: [], now: Date.now() });

describe('doctor', () => {
  it('finds nothing in a healthy table, and says what takes its space', () => {
    const result = examine();
    expect(result).toMatchObject({
      ok: true,
      findings: [],
      tables: [{ table: 'notes', journal_mode: 'wal', events: 1 }],
    });
    expect(result.tables[0]?.bytes).toMatchObject({ rows: expect.any(Number), log: expect.any(Number) });
    expect(result.tables[0]?.bytes?.log).toBeGreaterThan(0);
  });

  it('names foreign writes, leftovers, parked followers and stale leases, each with the way on', () => {
    table.foreign(`DELETE FROM rows;
      INSERT INTO _checkpoints (name, version, position, failures, last_error, updated_at) VALUES ('dump', 1, 0, 8, 'IO_ERROR: x', 0);
      INSERT INTO _checkpoints (name, version, position, owner, lease_until, updated_at) VALUES ('notices', 1, 1, 'h:1:a', 5, 0)`);
    writeFileSync(join(table.directory, 'schema.yaml.tmp'), '');
    const { ok, findings } = examine();
    expect(ok).toBe(false);
    const texts = findings.map(({ severity, message }) => `${severity} ${message}`).join('\n');
    expect(texts).toContain('warning 1 row was changed past the log');
    expect(texts).toContain('warning schema.yaml.tmp was left');
    expect(texts).toContain('error dump is parked at event 0, 1 behind');
    expect(texts).toContain('info the lease of notices');
    for (const finding of findings) expect(finding.next).not.toBe('');
  });

  it('names a table that is not mounted and a file that is damaged', async () => {
    await table.close();
    truncateSync(table.path, 8192);
    const failed = [
      { table: 'broken', scope: 'project' as const, code: 'SCHEMA_ERROR', message: 'schema parse error' },
    ];
    const { findings } = doctor({ tables: [table.operated], failed, now: Date.now() });
    expect(findings.map((finding) => finding.table)).toEqual(expect.arrayContaining(['broken', 'notes']));
    expect(findings.every((finding) => finding.severity === 'error')).toBe(true);
  });

  it('takes a table that nobody has used yet for what it is', async () => {
    await table.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${table.path}${end}`, { force: true });
    const untouched = examine();
    writeFileSync(table.path, '');
    for (const { ok, tables, findings } of [untouched, examine()]) {
      expect(ok).toBe(true);
      expect(tables).toMatchObject([{ state: 'new', bytes: null }]);
      expect(findings).toMatchObject([{ severity: 'info', message: 'the table was not used yet' }]);
    }
  });
});
