import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertContent } from '../../src/ops/insert-content.js';
import { type ReplaceContentInput, replaceContent } from '../../src/ops/replace-content.js';
import { restoreRow } from '../../src/ops/restore-row.js';
import { viewContent } from '../../src/ops/view-content.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { caller, StoreOf } from './store-of.js';

const schema = `table: notes
fields:
  - { name: body, type: string }
  - { name: tags, type: array }
`;

let opened: StoreOf;
let id: string;
const body = async () => String(JSON.parse(opened.registry.resolve('notes').open().rows.get(id)?.data ?? '{}').body);
const view = async (range?: [number, number]) =>
  (await viewContent(opened.store, { table: 'notes', id, field: 'body', view_range: range })).content;
const replace = (input: Partial<ReplaceContentInput>) =>
  replaceContent(opened.store, { table: 'notes', id, field: 'body', old_str: '', new_str: '', ...input }, caller);
const insert = (line: number, content: string) =>
  insertContent(opened.store, { table: 'notes', id, field: 'body', line, content }, caller);

beforeEach(async () => {
  opened = new StoreOf(newDir(), { notes: schema });
  id = await opened.add('notes', { body: 'one\ntwo é two\r\nthree\n', tags: ['x'] });
});

afterEach(async () => {
  await opened.close();
  removeDir(opened.directory);
});

describe('content_view', () => {
  it('numbers lines, a final empty one included', async () => {
    expect(await view()).toBe('     1  one\n     2  two é two\r\n     3  three\n     4  \n');
    expect(await view([2, 3])).toBe('     2  two é two\r\n     3  three\n');
  });

  it('clamps a range and answers nothing past the end', async () => {
    expect(await view([0, 1])).toBe('     1  one\n');
    expect(await view([4, 99])).toBe('     4  \n');
    expect(await view([5, 9])).toBe('');
    expect(await view([3, 2])).toBe('');
  });

  it('takes an absent and a null field as one empty line, and prefixes of ids', async () => {
    id = await opened.add('notes', {});
    expect(await view()).toBe('     1  \n');
    id = (await opened.add('notes', { body: null })).slice(0, 12);
    expect(await view()).toBe('     1  \n');
  });

  it('refuses other fields', async () => {
    const look = (field: string, row = id) => viewContent(opened.store, { table: 'notes', id: row, field });
    await expect(look('tags')).rejects.toMatchObject({ code: 'TYPE_ERROR', fields: { actual_type: 'array' } });
    await expect(look('boddy')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: { field: 'boddy', reason: 'unknown field' },
      hint: expect.stringContaining("'body'"),
    });
    await expect(look('body', '0'.repeat(36))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    opened.insert('notes', ['{"body":7}']);
    const [odd] = opened.registry.resolve('notes').open().rows.list({ limit: 9, offset: 0 }).slice(-1);
    await expect(look('body', odd?.id)).rejects.toMatchObject({
      code: 'TYPE_ERROR',
      fields: { actual_type: 'number' },
    });
  });
});

describe('content_replace', () => {
  it('replaces the one occurrence and leaves the rest of the row as it is', async () => {
    expect(await replace({ old_str: 'one\ntwo', new_str: "$& $1 '" })).toEqual({ matches: 1 });
    expect(await body()).toBe("$& $1 ' é two\r\nthree\n");
    const row = opened.registry.resolve('notes').open().rows.get(id);
    expect(row).toMatchObject({ version: 2, data: expect.stringContaining('"tags":["x"]') });
  });

  it('names the places when there are several, counted in the whole field', async () => {
    await expect(replace({ old_str: 'two', view_range: [2, 3] })).rejects.toMatchObject({
      code: 'AMBIGUOUS',
      fields: {
        field: 'body',
        matches: 2,
        candidates: [
          { line: 2, col: 1, snippet: 'one\ntwo é two\r\nthree\n' },
          { line: 2, col: 8, snippet: 'one\ntwo é two\r\nthree\n' },
        ],
      },
    });
    expect(await replace({ old_str: 'two', new_str: '2', replace_all: true })).toEqual({ matches: 2 });
    expect(await body()).toBe('one\n2 é 2\r\nthree\n');
  });

  it('shows 20 of many, cut between characters', async () => {
    id = await opened.add('notes', { body: 'é'.repeat(20) + 'x😀'.repeat(30) });
    const error = await replace({ old_str: 'x' }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ fields: { matches: 30 }, hint: expect.stringContaining('first 20 of 30') });
    const candidates = (error as { fields: { candidates: { snippet: string; col: number }[] } }).fields.candidates;
    expect(candidates).toHaveLength(20);
    expect(candidates[0]).toEqual({ line: 1, col: 41, snippet: `${'é'.repeat(15)}x${'😀x'.repeat(6)}` });
    expect(candidates.every(({ snippet }) => snippet.isWellFormed())).toBe(true);
  });

  it('searches inside the range only', async () => {
    expect(await replace({ old_str: 'e', new_str: 'E', view_range: [1, 1] })).toEqual({ matches: 1 });
    expect(await body()).toBe('onE\ntwo é two\r\nthree\n');
    await expect(replace({ old_str: 'three\n', view_range: [3, 3] })).rejects.toMatchObject({
      code: 'STRING_NOT_FOUND',
    });
    expect(await replace({ old_str: 'three\n', new_str: '', view_range: [3, 99] })).toEqual({ matches: 1 });
  });

  it('refuses what cannot be meant', async () => {
    await expect(replace({ old_str: 'four' })).rejects.toMatchObject({ code: 'STRING_NOT_FOUND' });
    await expect(replace({ old_str: 'two\nthree' })).rejects.toMatchObject({ hint: expect.stringContaining('CRLF') });
    await expect(replace({ old_str: 'two é two\nthree' })).rejects.toMatchObject({
      hint: expect.stringContaining('CRLF'),
    });
    await expect(replace({ old_str: '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: { field: 'old_str' },
    });
    for (const range of [[0, 1] as const, [3, 2] as const])
      await expect(replace({ old_str: 'x', view_range: range })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        fields: { field: 'view_range' },
      });
    for (const line of [5, 6, 7])
      await expect(replace({ old_str: 'x', view_range: [line, 9] })).rejects.toMatchObject({
        code: 'OUT_OF_RANGE',
        fields: { line, total_lines: 4 },
      });
    for (const text of ['\ud83d', '\0'])
      await expect(replace({ old_str: 'one', new_str: text })).rejects.toMatchObject({ fields: { field: 'new_str' } });
    await expect(replace({ old_str: '\ud83d' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await body()).toBe('one\ntwo é two\r\nthree\n');
  });

  it('checks the version and remembers a key', async () => {
    await expect(replace({ old_str: 'one', expected_version: 7 })).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    const once = { old_str: 'one', new_str: '1', expected_version: 1, idempotency_key: 'k' };
    expect(await replace(once)).toEqual({ matches: 1 });
    expect(await replace(once)).toEqual({ matches: 1, replayed: true });
    await expect(replace({ ...once, new_str: '!' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  });

  it('writes an event of the size of the edit, and can be taken back', async () => {
    const text = Array.from({ length: 4000 }, (_, line) => `line ${line} of a long text`).join('\n');
    id = await opened.add('notes', { body: text });
    await replace({ old_str: 'line 2000 of', new_str: 'LINE 2000 OF' });
    const events = await opened.registry.resolve('notes').open().log.readAfter(0, 100);
    const last = events.at(-1);
    expect(last?.type).toBe('row.updated');
    expect(last?.body.length).toBeLessThan(120);
    await restoreRow(opened.store, { table: 'notes', id, version: 1 }, caller);
    expect(await body()).toBe(text);
  });
});

describe('content_insert', () => {
  it('inserts before, between and at the end', async () => {
    id = await opened.add('notes', { body: 'a\nb' });
    expect(await insert(0, 'first')).toEqual({ line: 0, inserted_lines: 1 });
    expect(await insert(2, 'x\ny\nz')).toEqual({ line: 2, inserted_lines: 3 });
    expect(await body()).toBe('first\na\nx\ny\nz\nb');
    expect(await insert(6, 'last')).toEqual({ line: 6, inserted_lines: 1 });
    expect(await insert(8, 'more')).toEqual({ line: 8, inserted_lines: 1 });
    expect(await body()).toBe('first\na\nx\ny\nz\nb\nlast\nmore');
    await expect(insert(10, 'x')).rejects.toMatchObject({ code: 'OUT_OF_RANGE', fields: { line: 10, total_lines: 8 } });
  });

  it.each([
    [0, 'x\n'],
    [1, '\nx'],
    [2, '\nx'],
  ])('line %i of an empty field gives %j', async (line, expected) => {
    id = await opened.add('notes', {});
    await insert(line, 'x');
    expect(await body()).toBe(expected);
  });

  it('edits at the same time all count', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => insert(1, `edit ${index}`)));
    expect((await body()).match(/edit/g)).toHaveLength(20);
  });
});
