import { describe, expect, it } from 'vitest';
import { SqliteRowQueries } from '../../../src/projections/rows/sqlite-row-queries.js';
import { rowsDatabase } from './rows-database.js';

const page = { limit: 100, offset: 0 };

describe('SqliteRowQueries', () => {
  it('counts a row that holds no JSON as one without fields, and answers it as it is stored', () => {
    const queries = new SqliteRowQueries(
      rowsDatabase([
        { id: 'a', data: 'no json' },
        { id: 'b', data: '{"x":1}' },
        { id: 'c', data: '{"x":2}' },
      ]),
    );
    const filter = { type: 'eq', field: 'x', value: 1 } as const;
    expect(queries.list({ ...page, filter }).map((row) => row.id)).toEqual(['b']);
    const orderBy = [{ field: 'x', direction: 'asc' as const }];
    expect(queries.list({ ...page, orderBy }).map((row) => [row.id, row.data])).toEqual([
      ['a', 'no json'],
      ['b', '{"x":1}'],
      ['c', '{"x":2}'],
    ]);
  });

  it('gets a row by its exact id, with the stored text', () => {
    const queries = new SqliteRowQueries(
      rowsDatabase([{ id: 'Ab', data: '{"x": 12345678901234567890}', created: 5, updated: 6 }]),
    );
    expect(queries.get('Ab')).toEqual({
      id: 'Ab',
      data: '{"x": 12345678901234567890}',
      createdAt: 5,
      updatedAt: 6,
      version: 1,
    });
    expect(queries.get('ab')).toBeNull();
    expect(queries.get('A')).toBeNull();
    expect(queries.count()).toBe(1);
  });

  it('pages newest first, the newest insert first inside one second', () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map((id, index) => ({ id, data: '{}', created: index < 3 ? 7 : 6 }));
    const queries = new SqliteRowQueries(rowsDatabase(rows));
    const ids = (limit: number, offset: number) =>
      queries
        .list({ limit, offset })
        .map((row) => row.id)
        .join('');
    expect(ids(100, 0)).toBe('cbaed');
    expect([ids(2, 0), ids(2, 2), ids(2, 4), ids(2, 6), ids(0, 0)]).toEqual(['cb', 'ae', 'd', '', '']);
  });

  it('sorts by columns and by several keys', () => {
    const rows = [
      { id: 'c', data: '{"x":1}', created: 1, updated: 9 },
      { id: 'a', data: '{"x":2}', created: 3, updated: 8 },
      { id: 'b', data: '{"x":1}', created: 2, updated: 7 },
    ];
    const queries = new SqliteRowQueries(rowsDatabase(rows));
    const by = (...orderBy: NonNullable<Parameters<typeof queries.list>[0]['orderBy']>[number][]) =>
      queries
        .list({ ...page, orderBy })
        .map((row) => row.id)
        .join('');
    expect(by({ field: 'id', direction: 'asc', column: true })).toBe('abc');
    expect(by({ field: 'updated_at', direction: 'asc', column: true })).toBe('bac');
    expect(by({ field: 'created_at', direction: 'asc', column: true })).toBe('cba');
    expect(by({ field: 'x', direction: 'desc' }, { field: 'id', direction: 'desc', column: true })).toBe('acb');
    expect(by({ field: 'x', direction: 'asc' })).toBe('bca');
  });

  it('keeps working over more shapes of lists than it keeps statements for', () => {
    const queries = new SqliteRowQueries(rowsDatabase([{ id: 'a', data: '{"x":1}' }]));
    for (let round = 0; round < 2; round++) {
      for (let size = 1; size <= 40; size++) {
        const filters = Array.from({ length: size }, () => ({ type: 'eq', field: 'x', value: 1 }) as const);
        expect(queries.list({ ...page, filter: { type: 'and', filters } })).toHaveLength(1);
      }
    }
  });

  it('finds ids by prefix exactly as LIKE with a literal does', () => {
    const ids = [
      'abcdef01-1',
      'ABCDEF01-2',
      'aBcDeF01-3',
      'abcdef02-4',
      'abcde',
      'a%b',
      'a_b',
      'axb',
      'a\\b',
      'é1',
      'É1',
      'e',
      'éa',
      'aé',
      'AÉ',
      'K',
      'k',
      '\u212a',
      'z',
      'Z~',
      '~',
      '@',
      '[',
      '`',
      '{',
      '0',
      '9f',
      '',
      '\u{10ffff}x',
      'a\u{10ffff}x',
      'a b',
      "a'b",
    ];
    const database = rowsDatabase(ids.map((id) => ({ id, data: '{}' })));
    const queries = new SqliteRowQueries(database);
    const like = database
      .prepare<[string], string>("SELECT id FROM rows WHERE id LIKE ? ESCAPE '!' ORDER BY id")
      .pluck();
    const prefixes = ids.flatMap((id) => [id, id.toUpperCase(), id.toLowerCase(), id.slice(0, 2).toUpperCase()]);
    for (const prefix of [...prefixes, 'nothing', '%', '_', '!', 'A', '\u{10ffff}']) {
      if (!prefix.isWellFormed()) continue;
      expect([prefix, queries.idsWithPrefix(prefix)]).toEqual([
        prefix,
        like.all(`${prefix.replace(/[%_!]/g, '!$&')}%`),
      ]);
    }
  });
});
