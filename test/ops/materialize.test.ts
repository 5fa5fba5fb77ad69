import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type MaterializeInput, materializeRows } from '../../src/ops/materialize-rows.js';
import { materializeFormats } from '../../src/ops/materialized-text.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { StoreOf } from './store-of.js';

const schema = `table: notes
fields:
  - { name: title, type: string, required: true }
  - { name: body, type: string }
  - { name: tags, type: array }
  - { name: n, type: number }
`;
const all = { mode: 'all' };
const everything = { type: 'by_filter', filter: { type: 'like', field: 'title', pattern: '%' } };

let opened: StoreOf;
let dest: string;
let first: string;
let second: string;
const write = (input: Partial<MaterializeInput>) =>
  materializeRows(opened.store, { table: 'notes', selector: everything, fields: all, format: 'json', dest, ...input });
const read = (...path: string[]) => readFileSync(join(dest, ...path), 'utf8');

beforeEach(async () => {
  opened = new StoreOf(newDir(), { notes: schema });
  dest = join(opened.directory, 'out', 'deep');
  first = await opened.add('notes', { extra: 1, body: 'text\nof two lines', title: 'First', tags: ['a', { b: null }] });
  second = await opened.add('notes', { title: 'no', n: 1.5 });
});

afterEach(async () => {
  await opened.close();
  removeDir(opened.directory);
});

describe('the formats', () => {
  const fields = { mode: 'list', fields: ['title', 'tags', 'n', 'body'] };
  const one = (format: MaterializeInput['format']) => write({ format, fields, selector: { type: 'by_id', id: first } });

  it('write one row in the order asked for', async () => {
    for (const format of materializeFormats) await one(format);
    expect(read(`${first}.txt`)).toBe('First\n["a",{"b":null}]\nnull\ntext\nof two lines');
    expect(read(`${first}.md`)).toBe(
      `# ${first}\n\n## title\n\nFirst\n\n## tags\n\n["a",{"b":null}]\n\n## n\n\nnull\n\n## body\n\ntext\nof two lines\n`,
    );
    const data = { title: 'First', tags: ['a', { b: null }], n: null, body: 'text\nof two lines' };
    expect(read(`${first}.json`)).toBe(JSON.stringify(data, null, 2));
    expect(Object.entries(parse(read(`${first}.yaml`)))).toEqual(Object.entries(data));
    expect(readdirSync(dest).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('write all rows into one file', async () => {
    const list = { mode: 'list', fields: ['title', 'n'] };
    const text = async (format: MaterializeInput['format']) => {
      const { files, count } = await write({ format, fields: list, concat: true, dest: join(dest, `all.${format}`) });
      expect([count, files[0]?.row_id]).toEqual([1, null]);
      return read(`all.${format}`);
    };
    expect(await text('raw')).toBe('no\n1.5\n\nFirst\nnull');
    expect(await text('markdown')).toBe(
      `# ${second}\n\n## title\n\nno\n\n## n\n\n1.5\n\n---\n\n# ${first}\n\n## title\n\nFirst\n\n## n\n\nnull\n`,
    );
    const rows = [
      { title: 'no', n: 1.5 },
      { title: 'First', n: null },
    ];
    expect(await text('json')).toBe(JSON.stringify(rows, null, 2));
    const yaml = await text('yaml');
    expect(yaml.startsWith('---\n')).toBe(true);
    expect(parseAllDocuments(yaml).map((document: { toJS(): unknown }) => document.toJS())).toEqual(rows);
  });

  it('write everything that is stored, what is declared first', async () => {
    await write({ selector: { type: 'by_id', id: first.slice(0, 10) } });
    expect(Object.keys(JSON.parse(read(`${first}.json`)))).toEqual(['title', 'body', 'tags', 'extra']);
  });

  it('keep large integers digit for digit', async () => {
    opened.insert('notes', ['{"title":"big","n":12345678901234567890}']);
    const selector = { type: 'by_filter', filter: { type: 'eq', field: 'title', value: 'big' } };
    for (const format of materializeFormats) {
      await write({ selector, format, concat: true, dest: join(dest, 'big') });
      expect(read('big')).toContain('12345678901234567890');
    }
  });
});

describe('the answer', () => {
  it('tells of each file, and a dry run tells the same and writes nothing', async () => {
    const preview = await write({ dry_run: true });
    expect(existsSync(join(opened.directory, 'out'))).toBe(false);
    const written = await write({});
    expect(written).toEqual(preview);
    expect(written.count).toBe(2);
    for (const file of written.files) {
      const bytes = readFileSync(file.path);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(file).toEqual({
        path: join(dest, `${file.row_id}.json`),
        bytes: bytes.length,
        sha256,
        row_id: file.row_id,
      });
    }
  });

  it('pages like list', async () => {
    const page = await write({ selector: { ...everything, limit: 1, offset: 1 } });
    expect(page.files.map((file) => file.row_id)).toEqual([first]);
  });

  it('keeps files inside dest, whatever an id holds', async () => {
    const database = new Sqlite(opened.registry.resolve('notes').databasePath);
    database.exec(
      `INSERT INTO rows (id, data, created_at, updated_at) VALUES ('../../evil', '{"title":"evil"}', 1, 1)`,
    );
    database.close();
    const { files } = await write({
      selector: { type: 'by_filter', filter: { type: 'eq', field: 'title', value: 'evil' } },
    });
    expect(files.map((file) => join(file.path, '..'))).toEqual([dest]);
    expect(files[0]?.row_id).toBe('../../evil');
  });
});

describe('refusals', () => {
  const byId = (id: string) => ({ type: 'by_id', id });
  it.each<[string, () => Partial<MaterializeInput>, Record<string, unknown>]>([
    ['MATERIALIZE_DEST_RELATIVE', () => ({ dest: 'out', table: 'nope' }), { path: 'out' }],
    ['TABLE_NOT_FOUND', () => ({ table: 'nope' }), {}],
    ['MATERIALIZE_FIELD_UNKNOWN', () => ({ fields: { mode: 'list', fields: ['titel'] } }), { field: 'titel' }],
    ['MATERIALIZE_INVALID_PARAM', () => ({ concat: true, selector: byId('none') }), { field: 'concat' }],
    ['MATERIALIZE_ROW_NOT_FOUND', () => ({ selector: byId('0'.repeat(36)) }), { id: '0'.repeat(36) }],
    ['MATERIALIZE_ROW_NOT_FOUND', () => ({ selector: byId('zz') }), { id: 'zz' }],
    ['MATERIALIZE_EMPTY_RESULT', () => ({ selector: { ...everything, offset: 9 } }), {}],
    [
      'VALIDATION_ERROR',
      () => ({ selector: { ...everything, filter: { type: 'eq', field: 'x', value: 1 } } }),
      { field: 'x' },
    ],
    ['VALIDATION_ERROR', () => ({ selector: { type: 'all' } }), { field: 'selector.type' }],
    ['VALIDATION_ERROR', () => ({ fields: { mode: 'some' } }), { field: 'fields.mode' }],
    ['VALIDATION_ERROR', () => ({ fields: undefined }), { field: 'fields' }],
  ])('%s %#', async (code, input, fields) => {
    await expect(write(input())).rejects.toMatchObject({ code, fields });
    expect(existsSync(join(opened.directory, 'out'))).toBe(false);
  });

  it('name a place that is taken, before anything is written', async () => {
    mkdirSync(dest, { recursive: true });
    writeFileSync(join(dest, `${first}.json`), 'mine');
    for (const dry_run of [true, false])
      await expect(write({ write_mode: 'error', dry_run })).rejects.toMatchObject({
        code: 'MATERIALIZE_DEST_INVALID',
        fields: { path: join(dest, `${first}.json`) },
      });
    expect(readdirSync(dest)).toEqual([`${first}.json`]);
    expect(read(`${first}.json`)).toBe('mine');
    await write({});
    expect(read(`${first}.json`)).not.toBe('mine');
  });

  it('name a file where a directory is needed, and the other way round', async () => {
    mkdirSync(dest, { recursive: true });
    await expect(write({ concat: true })).rejects.toMatchObject({ code: 'MATERIALIZE_DEST_INVALID' });
    writeFileSync(join(dest, 'file'), '');
    await expect(write({ dest: join(dest, 'file') })).rejects.toMatchObject({ code: 'MATERIALIZE_DEST_INVALID' });
    await expect(write({ dest: join(dest, 'file', 'below') })).rejects.toMatchObject({ code: 'MATERIALIZE_IO_ERROR' });
  });
});
