import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertDumpDirectory,
  type DumpPlace,
  dumpDirectory,
  dumpFileName,
} from '../../../src/projections/dump/dump-path.js';
import { useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();

function place(dir: string | null, scope: DumpPlace['scope'] = 'project'): DumpPlace {
  const dump = { dir, title_field: null, body_field: null, sync: null };
  return {
    schema: { table: 'issues', dump },
    scope,
    scopeRoot: join(temp.dir, 'repo', '.mini-app'),
    cwd: join(temp.dir, 'repo'),
  };
}

const refused = expect.objectContaining({
  code: 'SCHEMA_ERROR',
  fields: expect.objectContaining({ field: 'dump.dir' }),
});

describe('the directory', () => {
  it('is below the working directory by default, relative to it when relative', () => {
    expect(dumpDirectory(place(null))).toBe(join(temp.dir, 'repo/.mini-app/issues'));
    expect(dumpDirectory(place('notes'))).toBe(join(temp.dir, 'repo/notes'));
    expect(dumpDirectory(place('~/notes'))).toBe(join(temp.dir, 'repo/~/notes'));
    expect(dumpDirectory(place('/abs'))).toBe('/abs');
  });

  it.each([[null], ['notes'], ['a/b/../c'], ['..x'], ['.']])('%s is inside the project', async (dir) => {
    await expect(assertDumpDirectory(place(dir))).resolves.toBeUndefined();
  });

  it.each([['..'], ['../other'], ['/etc'], ['a/../../b']])('%s is refused in a project, not elsewhere', async (dir) => {
    await expect(assertDumpDirectory(place(dir))).rejects.toEqual(refused);
    await expect(assertDumpDirectory(place(dir, 'user'))).resolves.toBeUndefined();
  });

  it('is refused when a link leads out of the project', async () => {
    mkdirSync(join(temp.dir, 'repo'));
    mkdirSync(join(temp.dir, 'outside'));
    symlinkSync(join(temp.dir, 'outside'), join(temp.dir, 'repo/link'));
    await expect(assertDumpDirectory(place('link'))).rejects.toEqual(refused);
    await expect(assertDumpDirectory(place('link/deep/er'))).rejects.toEqual(refused);
  });
});

describe('the file name', () => {
  it.each([
    ['0b5c6a1e-1111-4222-8333-444455556666', '0b5c6a1e-1111-4222-8333-444455556666.md'],
    ['../../etc/passwd', '%2E.%2F..%2Fetc%2Fpasswd.md'],
    ['', '%.md'],
    ['.', '%2E.md'],
    ['a b', 'a%20b.md'],
    ['50%', '50%25.md'],
    ['é', '%C3%A9.md'],
    ['CON', '%43ON.md'],
    ['nul.x', '%6Eul.x.md'],
    ['a\\b:c', 'a%5Cb%3Ac.md'],
  ])('of %s', (id, expected) => {
    expect(dumpFileName(id)).toBe(expected);
  });

  it('is safe, short and different for different ids', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 190, maxLength: 300 }));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const name = dumpFileName(a);
        expect(name).toMatch(/^[A-Za-z0-9_%-][A-Za-z0-9._%~-]*\.md$|^%\.md$/);
        expect(name.length).toBeLessThan(220);
        expect(dumpFileName(b) === name).toBe(a === b);
      }),
    );
  });
});
